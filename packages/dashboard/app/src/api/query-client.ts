import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isClientError } from '@trunkline/http/client';
import { isSignedOut, recheckSession } from './session.ts';

/**
 * The cache of all data from the service. A 401 response makes it read the session again, which leads to the sign-in
 * page if the session is over.
 */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (isSignedOut(error)) recheckSession(client);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError(error, query) {
        if (query.queryKey[0] !== 'session') onError(error);
      },
    }),
    mutationCache: new MutationCache({
      onError(error, _variables, _context, mutation) {
        if (mutation.options.mutationKey?.[0] !== 'session') onError(error);
      },
    }),
    defaultOptions: {
      queries: {
        // Hints and polling fetch changes, so a component that mounts within this time shows the cached data.
        staleTime: 2_000,
        gcTime: 60_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < 2 && mayPass(error),
        retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 8_000),
      },
    },
  });
  return client;
}

/** Only network errors are retried here: the typed client itself retries when a response asks for it. */
function mayPass(error: unknown): boolean {
  return isClientError(error) && error.code === 'NETWORK_ERROR';
}
