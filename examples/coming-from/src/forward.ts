import { createReceiver } from '@trunkline/receiver';
import type { EventStore, Receiver } from '@trunkline/receiver';
import type { Context, Form, OldWebhook } from './form.ts';

export interface ForwardOptions {
  /** The secret of Trunkline's webhook. */
  readonly secret: string;
  readonly form: Form;
  readonly context: Context;
  /** The URL of the consumer. */
  readonly url: string;
  /** The names of the other service's events that the consumer wants; by default, all. */
  readonly events?: readonly string[];
  /** Headers of each request to the consumer, such as a key that it requires. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the consumer may take. Trunkline waits for 10 seconds in total. */
  readonly timeoutMs?: number;
  /** Keeps the ids of events that the consumer has accepted; in memory by default. */
  readonly store?: EventStore;
  readonly onError?: (error: unknown) => void;
}

/**
 * Receives Trunkline's webhooks, and posts them to a consumer of another service's webhooks. Trunkline gets a 2xx only
 * if the consumer responded to every request with a 2xx; otherwise it retries, so that the consumer gets each webhook
 * at least once.
 */
export function createForwarder(options: ForwardOptions): Receiver {
  const { secret, form, context, events, store, onError = console.error } = options;
  return createReceiver({
    secret,
    ...(store === undefined ? {} : { store }),
    on: {
      '*': async (event) => {
        for (const webhook of await form.convert(event, context))
          if (events === undefined || events.includes(webhook.event)) await post(webhook, options);
      },
    },
    onError: (error) => onError(error),
  });
}

async function post(
  webhook: OldWebhook,
  { form, url, headers, timeoutMs = 8000 }: ForwardOptions,
): Promise<void> {
  const body = JSON.stringify(webhook.body);
  const response = await fetch(form.urlOf?.(webhook, url) ?? url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', ...form.headersOf?.(webhook, body) },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok)
    throw new Error(
      `The consumer responded to ${webhook.event} (${webhook.id}) with ${response.status}: Trunkline will send it again.`,
    );
}
