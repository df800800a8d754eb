import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import styles from './dialog.module.css';
import { Icon } from './icon.tsx';

// Loaded lazily by `dialog.tsx`, because the first render needs no dialog.

export interface DialogProps {
  readonly isOpen: boolean;
  onClose(): void;
  readonly title: string;
  readonly children: ReactNode;
}

export function DialogPopup({ isOpen, onClose, title, children }: DialogProps): ReactNode {
  const t = useTexts('common');
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles['backdrop']} />
        <BaseDialog.Popup className={styles['popup']}>
          <BaseDialog.Title className={styles['title']}>{title}</BaseDialog.Title>
          {children}
          <BaseDialog.Close className={styles['close']} aria-label={t.close}>
            <Icon name="close" />
          </BaseDialog.Close>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

export function QuestionPopup({ isOpen, onClose, title, children }: DialogProps): ReactNode {
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles['backdrop']} />
        <AlertDialog.Popup className={styles['popup']}>
          <AlertDialog.Title className={styles['title']}>{title}</AlertDialog.Title>
          {children}
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
