import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { isClientError } from '@trunkline/http/client';
import type { SessionResource } from '../../../src/schemas/session.ts';
import { request } from './request.ts';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => request<SessionResource>('session', { signal }),
  staleTime: 5 * 60_000,
  retry: false,
});

/** Reads the session again; if it is over, SessionGate opens the sign-in page. */
export function recheckSession(queries: QueryClient): void {
  void queries.resetQueries({ queryKey: sessionQuery.queryKey });
}

export function isSignedOut(error: unknown): boolean {
  return isClientError(error) && error.error.status === 401;
}

/**
 * Signs in with an API key, the admin token, or the token of a sign-in link. A credential without the prefix of
 * generated keys may still be a key, because operators can choose keys, so it is tried as a token first.
 */
export async function signIn(credential: string): Promise<void> {
  if (credential.startsWith('trk_')) return enter({ api_key: credential });
  try {
    await enter({ token: credential });
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    await enter({ api_key: credential });
  }
}

export function signInByLink(token: string): Promise<void> {
  return enter({ token });
}

function enter(body: { readonly api_key: string } | { readonly token: string }): Promise<void> {
  return request('sign-in', { method: 'POST', body });
}

export function signOut(): Promise<unknown> {
  return request('sign-out', { method: 'POST' });
}
