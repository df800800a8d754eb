import { checkClientOptions } from './client-options.ts';
import type { ClientOptions } from './client-options.ts';
import { messageCalls } from './messages.ts';
import { remoteCalls } from './remote-calls.ts';
import { createTransport } from './transport.ts';
import type { TrunklineClient } from './trunkline-client.ts';
import { webhookCalls } from './webhooks.ts';

/**
 * A client of the API for anything that has Fetch.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://api.example.com/api/v1', apiKey });
 * const sent = await client.messages.send({ instance, to: '+1 555 0100', type: 'text', text: 'Hello' });
 * if (!sent.ok) console.error(sent.error.code, sent.error.requestId);
 * ```
 *
 * Throws a TypeError that names the option which is missing or wrong.
 */
export function createClient(options: ClientOptions): TrunklineClient {
  const transport = createTransport(checkClientOptions(options));
  const calls = remoteCalls(transport);
  return {
    ...calls,
    messages: { ...calls.messages, ...messageCalls(transport, calls.messages) },
    webhooks: { ...calls.webhooks, ...webhookCalls(calls.webhooks) },
  };
}
