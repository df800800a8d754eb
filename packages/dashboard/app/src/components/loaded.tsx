import type { UseQueryResult } from '@tanstack/react-query';
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
  const { data, error, isFetching, refetch } = query;
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
