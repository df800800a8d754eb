import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { BASE_PATH } from '../base-path.ts';
import { NotFound } from '../shell/not-found.tsx';
import { PageFailure } from '../shell/page-failure.tsx';
import { ROUTES } from './routes.ts';
import { parseSearch, stringifySearch } from './search.ts';

export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: ROUTES,
    context: { queries },
    basepath: BASE_PATH === '' ? '/' : BASE_PATH,
    parseSearch,
    stringifySearch,
    // Removes unknown parameters from the address, so that no page gets them unchecked.
    search: { strict: true },
    // Fetches the files of a page when the pointer is on its link.
    defaultPreload: 'intent',
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
