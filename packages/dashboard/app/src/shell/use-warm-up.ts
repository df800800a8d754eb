import { useEffect } from 'react';

/** After this time, the first page has finished loading. */
const REST_MS = 2_000;

/** Fetches the code of dialogs in advance, so that they open immediately, even while the service is unreachable. */
export function useWarmUp(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // Code that cannot be fetched now is fetched again when a dialog opens.
      void Promise.allSettled([import('../components/dialog-popup.tsx'), import('./drawer-popup.tsx')]);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, []);
}
