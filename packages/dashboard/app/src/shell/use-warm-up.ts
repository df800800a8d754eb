import { useEffect } from 'react';

/** By then, the first page has usually finished loading. */
const REST_MS = 2_000;

/** Fetches the code of dialogs in advance, so that they open immediately, even while the service is unreachable. */
export function useWarmUp(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // Ignore errors: a dialog that opens requests its code again.
      void Promise.allSettled([
        import('../components/dialog-popup.tsx'),
        import('./drawer-popup.tsx'),
        import('./search-popup.tsx'),
      ]);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, []);
}
