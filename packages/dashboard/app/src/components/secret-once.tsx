import { useId } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { Button } from './button.tsx';
import { useCopy } from './copy.ts';
import { Question } from './dialog.tsx';
import dialogStyles from './dialog.module.css';
import styles from './secret-once.module.css';
import { Warning } from './warning.tsx';

interface SecretOnceProps {
  /** The secret to show; null closes the dialog. */
  readonly secret: string | null;
  onClose(): void;
  readonly title: string;
  readonly label: string;
  /** Explains where the secret belongs, and that it is shown only once. */
  readonly children: ReactNode;
}

/** A press outside does not close the dialog, because the secret cannot be shown again. */
export function SecretOnce({ secret, onClose, title, label, children }: SecretOnceProps): ReactNode {
  const t = useTexts('common');
  const copy = useCopy();
  const id = useId();
  return (
    <Question isOpen={secret !== null} onClose={onClose} title={title}>
      <Warning>{children}</Warning>
      <div className={styles['field']}>
        <label htmlFor={id}>{label}</label>
        <div className={styles['row']}>
          <input
            id={id}
            readOnly
            value={secret ?? ''}
            autoComplete="off"
            spellCheck={false}
            onFocus={(event) => event.target.select()}
          />
          <Button kind="primary" onClick={() => void copy(secret ?? '')}>
            {t.copy}
          </Button>
        </div>
      </div>
      <div className={dialogStyles['buttons']}>
        <Button onClick={onClose}>{t.close}</Button>
      </div>
    </Question>
  );
}
