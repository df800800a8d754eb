import { useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@trunkline/http/client';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { clientOf } from '../../api/client.ts';
import { keyOf } from '../../api/keys.ts';
import { Button } from '../../components/button.tsx';
import { ErrorView } from '../../components/error-view.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import styles from './retry-failed.module.css';

type Progress =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly sent: number; readonly left: number | null }
  | { readonly kind: 'done'; readonly sent: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The pause between two batches, so that a long run leaves room for other requests. */
const PAUSE_MS = 500;

/** Queues all failed deliveries again in batches, until none remain or the user stops it. */
export function RetryFailed({
  workspaceId,
  webhookId,
}: {
  readonly workspaceId: string;
  readonly webhookId: string;
}): ReactNode {
  const t = useTexts('webhooks');
  const { locale } = useLanguage();
  const numbers = new Intl.NumberFormat(locale);
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress>({ kind: 'idle' });
  const running = useRef<AbortController | null>(null);
  // Leaving the page stops the run, but deliveries that are already queued are sent.
  useEffect(() => () => running.current?.abort(), []);

  const run = async (): Promise<void> => {
    const { signal } = (running.current = new AbortController());
    let sent = 0;
    setProgress({ kind: 'running', sent, left: null });
    try {
      for (;;) {
        const { data } = unwrap(
          await clientOf(workspaceId).webhooks.retryFailedDeliveries(webhookId, { signal }),
        );
        sent += data.requeued;
        if (data.remaining === 0) break;
        setProgress({ kind: 'running', sent, left: data.remaining });
        await new Promise((resolve) => window.setTimeout(resolve, PAUSE_MS));
        if (signal.aborted) break;
      }
      setProgress({ kind: 'done', sent });
    } catch (error) {
      setProgress(signal.aborted ? { kind: 'done', sent } : { kind: 'failed', error });
    }
    void queries.invalidateQueries({ queryKey: keyOf(workspaceId, 'deliveries') });
  };

  return (
    <div className={styles['retry']}>
      {progress.kind === 'running' ? (
        <Button onClick={() => running.current?.abort()}>{t.stop}</Button>
      ) : (
        <Button onClick={() => void run()}>{t.retryFailed}</Button>
      )}
      <p role="status" className={styles['progress']}>
        {progress.kind === 'running' && (
          <>
            {t.retryingAll(progress.sent)}
            {progress.left !== null && ` ${t.left(numbers.format(progress.left))}`}
          </>
        )}
        {progress.kind === 'done' && (progress.sent === 0 ? t.retriedNone : t.retriedAll(progress.sent))}
      </p>
      {progress.kind === 'failed' && <ErrorView error={progress.error} onRetry={() => void run()} />}
    </div>
  );
}
