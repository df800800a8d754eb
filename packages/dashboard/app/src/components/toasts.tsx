import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import styles from './toasts.module.css';

interface Toasts {
  /** Shows for a few seconds that something was done. For failures, see `ErrorView`. */
  say(text: string): void;
}

const ToastContext = createContext<Toasts>({ say() {} });

const SHOWN_MS = 5_000;
const SHOWN_MAX = 3;

/** The live region is always present: screen readers announce changes within a region, not a new region. */
export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<readonly { readonly key: number; readonly text: string }[]>([]);
  const say = useCallback((text: string) => {
    setShown((before) => [...before, { key: (before.at(-1)?.key ?? 0) + 1, text }].slice(-SHOWN_MAX));
  }, []);
  const newest = shown.at(-1)?.key;

  useEffect(() => {
    if (newest === undefined) return;
    const timer = window.setTimeout(() => setShown([]), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [newest]);

  return (
    <ToastContext value={useMemo(() => ({ say }), [say])}>
      {children}
      <div role="status" className={styles['toasts']}>
        {shown.map(({ key, text }) => (
          <p key={key} className={styles['toast']}>
            {text}
          </p>
        ))}
      </div>
    </ToastContext>
  );
}

export function useToasts(): Toasts {
  return useContext(ToastContext);
}
