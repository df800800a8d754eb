import { createContext, useContext } from 'react';
import type { SessionResource } from '../../../src/schemas/session.ts';

export const SessionContext = createContext<SessionResource | null>(null);

/** For components below the session's gate only. */
export function useSession(): SessionResource {
  const session = useContext(SessionContext);
  if (!session)
    throw new Error('useSession is used outside of the session’s gate: move the component below it.');
  return session;
}

/** Whether to offer the actions of the administration. The service itself enforces access. */
export function useIsAdmin(): boolean {
  return useSession().access === 'admin';
}

export function useMay(scope: SessionResource['scopes'][number]): boolean {
  return useSession().scopes.includes(scope);
}
