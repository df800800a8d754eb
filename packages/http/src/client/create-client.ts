import { createCaller } from './call.ts';
import { checkClientOptions } from './client-options.ts';
import type { ClientOptions } from './client-options.ts';
import { deliveryCalls } from './deliveries.ts';
import { instanceCalls } from './instances.ts';
import { messageCalls } from './messages.ts';
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
  const caller = createCaller(createTransport(checkClientOptions(options)));
  return {
    apiKey: { get: (callOptions) => caller.call({ method: 'GET', path: '/api-key', ...callOptions }) },
    instances: instanceCalls(caller),
    messages: messageCalls(caller),
    webhooks: webhookCalls(caller),
    deliveries: deliveryCalls(caller),
  };
}
