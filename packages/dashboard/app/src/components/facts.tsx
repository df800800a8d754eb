import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and values, in two columns. Null values are left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly { readonly name: string; readonly value: ReactNode }[];
}): ReactNode {
  return (
    <dl className={styles['facts']}>
      {facts
        .filter(({ value }) => value !== null)
        .map(({ name, value }) => (
          <div key={name} className={styles['fact']}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
