import type { UseQueryResult } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { ErrorView } from './error-view.tsx';
import styles from './loaded.module.css';

/**
 * What a query has read. Before the first read a quiet line, after a failure the error where the data would be, and with
 * older data both.
 */
export function Loaded<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const t = useTexts('common');
  const { error, isFetching, refetch } = query;
  // Drawn in slices: a long list does not hold up what somebody types or clicks.
  const data = useDeferredValue(query.data);
  const errorView = error !== null && (
    <ErrorView error={error} onRetry={refetch} isRetrying={isFetching} isStale={data !== undefined} />
  );
  if (data !== undefined) {
    return (
      <>
        {errorView}
        {children(data)}
      </>
    );
  }
  return (
    errorView || (
      <p role="status" className={styles['loading']}>
        {t.loading}
      </p>
    )
  );
}
