import { createContext, useContext } from 'react';
import type { SessionResource } from '../../../src/schemas/session.ts';

export const SessionContext = createContext<SessionResource | null>(null);

/** Who is signed in. Below the session's gate alone. */
export function useSession(): SessionResource {
  const session = useContext(SessionContext);
  if (!session)
    throw new Error('useSession is used outside of the session’s gate: move the component below it.');
  return session;
}

/**
 * Whether a button of the administration has a point. What is refused is refused by the service: this only keeps from
 * offering it.
 */
export function useIsAdmin(): boolean {
  return useSession().access === 'admin';
}

/** The same for what needs a scope. */
export function useMay(scope: SessionResource['scopes'][number]): boolean {
  return useSession().scopes.includes(scope);
}
