import { useQuery } from '@tanstack/react-query';
import { Navigate, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isSignedOut, sessionQuery } from '../api/session.ts';
import { ErrorView } from '../components/error-view.tsx';
import { Frame } from './frame.tsx';
import styles from './frame.module.css';
import { SessionContext } from './session-context.ts';

/** Everything but the sign-in page: without a session, it leads there, and back afterwards. */
export function SessionGate(): ReactNode {
  const { data: session, error, refetch, isFetching } = useQuery(sessionQuery);
  const { href } = useLocation();
  if (session) {
    return (
      <SessionContext value={session}>
        <Frame />
      </SessionContext>
    );
  }
  if (error === null) return null;
  if (isSignedOut(error))
    return <Navigate to="/sign-in" search={href === '/' ? {} : { next: href }} replace />;
  return (
    <main className={styles['alone']}>
      <ErrorView error={error} onRetry={refetch} isRetrying={isFetching} />
    </main>
  );
}
