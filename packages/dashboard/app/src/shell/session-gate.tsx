import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useDeferredValue, useEffect } from 'react';
import type { ReactNode } from 'react';
import { isSignedOut, sessionQuery } from '../api/session.ts';
import { ErrorView } from '../components/error-view.tsx';
import { Frame } from './frame.tsx';
import styles from './frame.module.css';
import { SessionContext } from './session-context.ts';

/**
 * Wraps every page except the sign-in page. Without a session, opens the sign-in page, which leads back to the
 * requested page.
 */
export function SessionGate(): ReactNode {
  const { data, error, refetch, isFetching } = useQuery(sessionQuery);
  // Deferred, so that the frame and its page are rendered in slices.
  const session = useDeferredValue(data ?? null, null);
  const router = useRouter();
  const isOut = isSignedOut(error);
  useEffect(() => {
    if (!isOut) return;
    // From the router, not from a hook: this navigation changes the location, which would run the effect again.
    const { href } = router.latestLocation;
    const search = href === '/' ? {} : { next: href };
    void router.navigate({ to: '/sign-in', search, replace: true });
  }, [isOut, router]);
  if (session) {
    return (
      <SessionContext value={session}>
        <Frame />
      </SessionContext>
    );
  }
  if (error === null || isOut) return null;
  return (
    <main className={styles['alone']}>
      <ErrorView error={error} onRetry={refetch} isRetrying={isFetching} />
    </main>
  );
}
