import type { ComponentProps, ReactNode } from 'react';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon.tsx';
import styles from './button.module.css';

export interface ButtonProps extends ComponentProps<'button'> {
  /**
   * `primary`: the main action of a page or form. `danger`: confirms an action in `Confirm`. `risky`: asks for such a
   * confirmation, because something is lost.
   */
  readonly kind?: 'primary' | 'plain' | 'danger' | 'risky' | 'bare';
  readonly icon?: IconName;
  /** Whether the action is in progress: a second press then does nothing. */
  readonly isBusy?: boolean;
}

export function Button({
  kind = 'plain',
  icon,
  isBusy = false,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      // Not `disabled`, because a disabled button loses the focus.
      aria-disabled={isBusy || rest['aria-disabled']}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
      className={classes(buttonClass(kind), className)}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** The class of a link that looks like a button. */
export function buttonClass(kind: NonNullable<ButtonProps['kind']>): string {
  return classes(styles['button'], styles[kind]);
}
