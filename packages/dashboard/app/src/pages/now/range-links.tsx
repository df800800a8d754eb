import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/language.tsx';
import styles from './range-links.module.css';
import { DEFAULT_RANGE, RANGES } from './search.ts';

/** The ranges of time to choose from, which are in the address. */
export function RangeLinks({ workspace }: { readonly workspace: string }): ReactNode {
  const t = useTexts('now');
  return (
    <nav aria-label={t.range} className={styles['ranges']}>
      {RANGES.map((range) => (
        <Link
          key={range}
          to="/w/$workspace"
          params={{ workspace }}
          search={range === DEFAULT_RANGE ? {} : { range }}
          activeOptions={{ exact: true, includeSearch: true }}
          replace
          resetScroll={false}
        >
          {t.ranges[range]}
        </Link>
      ))}
    </nav>
  );
}
