import type { UseQueryResult } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { ErrorView } from './error-view.tsx';
import styles from './loaded.module.css';

/** Shows the data of a query. After a failure, shows the error above older data, if there is any. */
export function Loaded<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const t = useTexts('common');
  const { error, isFetching, refetch } = query;
  // Deferred, so that rendering a long list does not delay typing or clicks.
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
