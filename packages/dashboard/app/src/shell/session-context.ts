import { createContext, useContext } from 'react';
import type { SessionResource } from '../../../src/schemas/session.ts';

export const SessionContext = createContext<SessionResource | null>(null);

/** The current session. Only for components below the session's gate. */
export function useSession(): SessionResource {
  const session = useContext(SessionContext);
  if (!session)
    throw new Error('useSession is used outside of the session’s gate: move the component below it.');
  return session;
}

/**
 * Whether to show the buttons of the administration. The service itself refuses the actions, so this only avoids
 * offering them.
 */
export function useIsAdmin(): boolean {
  return useSession().access === 'admin';
}

/** Whether to show actions that need `scope`. */
export function useMay(scope: SessionResource['scopes'][number]): boolean {
  return useSession().scopes.includes(scope);
}
