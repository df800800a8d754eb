import { isClientError } from '@trunkline/http/client';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { Button } from './button.tsx';
import { Id } from './id.tsx';
import styles from './error-view.module.css';
import { StatusShape } from './status-badge.tsx';

interface ErrorViewProps {
  readonly error: unknown;
  readonly onRetry?: (() => unknown) | undefined;
  readonly isRetrying?: boolean;
  /** Whether older data is shown below the error. */
  readonly isStale?: boolean;
}

/** An error's message, its code, and the request id for a report; with `onRetry`, also a button to try again. */
export function ErrorView({
  error,
  onRetry,
  isRetrying = false,
  isStale = false,
}: ErrorViewProps): ReactNode {
  const t = useTexts('common');
  const api = isClientError(error) ? error.error : null;
  return (
    <div role="alert" className={styles['error']}>
      <p className={styles['message']}>
        <StatusShape tone="bad" />
        <span>{api === null ? t.failed : api.code === 'NETWORK_ERROR' ? t.networkFailed : api.message}</span>
      </p>
      {isStale && <p className={styles['facts']}>{t.stale}</p>}
      {api && <UnnamedFields message={api.message} fields={api.details.fields} />}
      <p className={styles['facts']}>
        {api && (
          <span>
            {t.code} <code>{api.code}</code>
          </span>
        )}
        {api?.requestId && (
          <span>
            {t.requestId} <Id value={api.requestId} label={t.requestId} />
          </span>
        )}
        {api === null && <code>{String(error)}</code>}
      </p>
      {onRetry && (
        <Button icon="retry" isBusy={isRetrying} onClick={() => void onRetry()}>
          {t.tryAgain}
        </Button>
      )}
    </div>
  );
}

/** Lists the field errors that the message does not mention. */
function UnnamedFields({
  message,
  fields = {},
}: {
  readonly message: string;
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;
}): ReactNode {
  const entries = Object.entries(fields).filter(([name]) => !message.includes(` ${name}: `));
  if (entries.length === 0) return null;
  return (
    <ul className={styles['fields']}>
      {entries.map(([name, messages]) => (
        <li key={name}>
          <code>{name}</code>: {messages.join(' ')}
        </li>
      ))}
    </ul>
  );
}
