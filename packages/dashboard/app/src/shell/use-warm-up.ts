import { useEffect } from 'react';

/** The first page has come to rest by then. */
const REST_MS = 2_000;

/** Fetches the code of dialogs before one is opened, so that it opens immediately, even while the service is away. */
export function useWarmUp(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // Code that cannot be fetched now is fetched again when a dialog is opened.
      void Promise.allSettled([import('../components/dialog-popup.tsx'), import('./drawer-popup.tsx')]);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, []);
}
