import type { ComponentProps, ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './button.module.css';

export interface ButtonProps extends ComponentProps<'button'> {
  /** `primary`: the main action of a page or form. `danger`: confirms an action in `Confirm`. */
  readonly kind?: 'primary' | 'plain' | 'danger' | 'bare';
  /** Whether the action is in progress: a second press then does nothing. */
  readonly isBusy?: boolean;
}

export function Button({
  kind = 'plain',
  isBusy = false,
  className,
  onClick,
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
    />
  );
}

/** The class of a link that looks like a button. */
export function buttonClass(kind: NonNullable<ButtonProps['kind']>): string {
  return classes(styles['button'], styles[kind]);
}
