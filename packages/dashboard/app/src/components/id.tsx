import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { useCopy } from './copy.ts';
import { Icon } from './icon.tsx';
import styles from './id.module.css';

/** An id or another short text, which may be shown in another form than `value`. A press copies the value. */
export function Id({
  value,
  shown = value,
  label,
}: {
  readonly value: string;
  readonly shown?: string;
  readonly label?: string;
}): ReactNode {
  const t = useTexts('common');
  const copy = useCopy();
  return (
    <span className={styles['id']}>
      <code className={styles['value']}>{shown}</code>
      <button
        type="button"
        className={styles['copy']}
        aria-label={`${t.copy} ${label ?? value}`}
        title={t.copy}
        onClick={() => void copy(value)}
      >
        <Icon name="copy" />
      </button>
    </span>
  );
}
