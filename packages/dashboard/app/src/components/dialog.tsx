import { lazy } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { Button } from './button.tsx';
import type { DialogProps } from './dialog-popup.tsx';
import styles from './dialog.module.css';
import { WhenOpened } from './when-opened.tsx';

const DialogPopup = lazy(async () => ({ default: (await import('./dialog-popup.tsx')).DialogPopup }));
const QuestionPopup = lazy(async () => ({ default: (await import('./dialog-popup.tsx')).QuestionPopup }));

/** *Escape* closes the dialog, and the focus returns to its previous place. */
export function Dialog(props: DialogProps): ReactNode {
  return (
    <WhenOpened isOpen={props.isOpen}>
      <DialogPopup {...props} />
    </WhenOpened>
  );
}

/** A question that must be answered: a press outside does not close it. Its children include the buttons. */
export function Question(props: DialogProps): ReactNode {
  return (
    <WhenOpened isOpen={props.isOpen}>
      <QuestionPopup {...props} />
    </WhenOpened>
  );
}

export function DialogButtons({
  onCancel,
  children,
}: {
  onCancel(): void;
  readonly children: ReactNode;
}): ReactNode {
  const t = useTexts('common');
  return (
    <div className={styles['buttons']}>
      <Button onClick={onCancel}>{t.cancel}</Button>
      {children}
    </div>
  );
}
