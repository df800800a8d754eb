import type { ReactNode } from 'react';
import { useId } from 'react';
import { classes } from './class-names.ts';
import styles from './panel.module.css';

interface PanelProps {
  readonly title: string;
  readonly action?: ReactNode;
  /** Whether only screen readers get the title, because it repeats the page's. */
  readonly isTitleUnseen?: boolean;
  /** Whether the content has its own spacing, as a table does. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

export function Panel({
  title,
  isTitleUnseen = false,
  action,
  isFlush = false,
  children,
}: PanelProps): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles['panel']}>
      {isTitleUnseen && (
        <h2 id={id} className="unseen">
          {title}
        </h2>
      )}
      {(!isTitleUnseen || action) && (
        <div className={classes(styles['head'], isFlush && styles['apart'])}>
          {!isTitleUnseen && <h2 id={id}>{title}</h2>}
          {action}
        </div>
      )}
      <div className={classes(styles['body'], isFlush && styles['flush'])}>{children}</div>
    </section>
  );
}
