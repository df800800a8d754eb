import { randomBytes } from 'node:crypto';
import { signedHeaders } from '@trunkline/core/spi/http';
import type { EventType } from '@trunkline/core/spi/http';
import { createNewId } from '@trunkline/core/spi/storage';
import { usageError } from '../errors/command-error.ts';
import { pause } from './pause.ts';

/** The program's last response to an event. */
export interface Forwarded {
  /** Null if no response came in time. */
  readonly status: number | null;
  readonly duration_ms: number;
  readonly attempts: number;
}

export interface WebhookForwarder {
  readonly secret: string;
  /** Whether the secret was generated for this run. */
  readonly isNew: boolean;
  /** Posts an event until the program accepts it or attempts run out. If aborted, rejects with the signal's reason. */
  forward(event: { readonly id: string; readonly type: string; readonly body: string }): Promise<Forwarded>;
}

interface ForwarderOptions {
  readonly url: string;
  readonly secret: string | undefined;
  readonly signal: AbortSignal;
  /** Called once each time the program becomes unreachable. */
  readonly onDown: (reason: string) => void;
}

/** The time for a response (specification, "Receiver response and delivery behaviour"). */
const TIMEOUT_MS = 10_000;
/**
 * The maximum number of attempts if the program responds with an error or too late. Attempts while the program is down
 * do not count.
 */
const ATTEMPTS = 3;
const AGAIN_MS = 1_000;

export function createForwarder({ url, secret, signal, onDown }: ForwarderOptions): WebhookForwarder {
  checkTarget(url);
  const isNew = secret === undefined;
  const key = secret ?? `whsec_${randomBytes(32).toString('base64')}`;
  if (/\s/.test(key)) throw usageError('WEBHOOK_SECRET has white space in it: copy it again.');
  // Standard Webhooks needs a base64 secret, which older secrets of the service are not.
  const standardWebhooks = /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(key);
  const newId = createNewId((length) => randomBytes(length));
  let isDown = false;

  const post = async (headers: Readonly<Record<string, string>>, body: string): Promise<number | null> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual', // a redirect counts as a failure, as for webhooks
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      isDown = false;
      return response.status;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && error.name === 'TimeoutError') return null;
      throw error;
    }
  };

  return {
    secret: key,
    isNew,
    async forward({ id: eventId, type, body }) {
      // Every attempt sends the same delivery, as for a webhook.
      const delivery = { id: newId('whd', Date.now()), eventId, eventType: type as EventType }; // the type comes from the service
      for (let attempts = 1; ;) {
        const at = Date.now();
        const headers = await signedHeaders({ delivery, secret: key, payload: body, at, standardWebhooks });
        const began = performance.now();
        try {
          const status = await post(headers, body);
          const isTaken = status !== null && status >= 200 && status < 300;
          if (isTaken || attempts === ATTEMPTS)
            return { status, duration_ms: Math.round(performance.now() - began), attempts };
          attempts += 1;
        } catch (error) {
          signal.throwIfAborted();
          if (!isDown) onDown(reasonOf(error));
          isDown = true;
        }
        await pause(AGAIN_MS, signal);
      }
    },
  };
}

function checkTarget(url: string): void {
  const target = URL.parse(url);
  if (!target || !/^https?:$/.test(target.protocol) || target.username !== '' || target.password !== '')
    throw usageError('--forward-to must be a URL like http://localhost:3000/hook, without a user name.');
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
}
