import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { useCopy } from './copy.ts';
import styles from './id.module.css';

/** An id or another short text. A press copies it. */
export function Id({ value, label }: { readonly value: string; readonly label?: string }): ReactNode {
  const t = useTexts('common');
  const copy = useCopy();
  return (
    <span className={styles['id']}>
      <code className={styles['value']}>{value}</code>
      <button
        type="button"
        className={styles['copy']}
        aria-label={`${t.copy} ${label ?? value}`}
        title={t.copy}
        onClick={() => void copy(value)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
          <path d="M10.5 3.5v-1h-8v8h1" />
        </svg>
      </button>
    </span>
  );
}
