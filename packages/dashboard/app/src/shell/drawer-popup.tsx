import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import styles from './drawer-popup.module.css';

interface DrawerPopupProps {
  readonly isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  readonly label: string;
  readonly children: ReactNode;
}

/** Slides in from the side on a narrow screen. */
export function DrawerPopup({ isOpen, onOpenChange, label, children }: DrawerPopupProps): ReactNode {
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles['backdrop']} />
        <Dialog.Popup className={styles['drawer']} aria-label={label}>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
