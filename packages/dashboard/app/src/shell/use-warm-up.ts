import { useEffect } from 'react';

/** The first page has come to rest by then. */
const REST_MS = 2_000;

/** Fetches the code of dialogs before one is opened: it then opens at once, and also while the service is away. */
export function useWarmUp(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // What fails here is fetched again when it is opened.
      void Promise.allSettled([import('../components/dialog-popup.tsx'), import('./drawer-popup.tsx')]);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, []);
}
