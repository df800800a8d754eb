import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and what they have, in two columns. What is null is left out. */
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
