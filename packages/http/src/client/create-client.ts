import type { CallResult } from './call-result.ts';
import { checkClientOptions } from './client-options.ts';
import type { ClientOptions } from './client-options.ts';
import { eventCalls } from './events.ts';
import type { EventCalls } from './events.ts';
import { instanceCalls } from './instances.ts';
import type { InstanceCalls } from './instances.ts';
import { messageCalls } from './messages.ts';
import type { MessageCalls } from './messages.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import type { CallOptions, RemoteApi } from './remote-api.ts';
import { pathOf } from './request.ts';
import { createTransport } from './transport.ts';
import type { Transport } from './transport.ts';
import { webhookCalls } from './webhooks.ts';
import type { WebhookCalls } from './webhooks.ts';

/**
 * Creates a client of the API, for any runtime with Fetch.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'https://api.example.com/api/v1', apiKey });
 * const sent = await client.messages.send({ instance, to: '+1 555 0100', type: 'text', text: 'Hello' });
 * if (!sent.ok) console.error(sent.error.code, sent.error.requestId);
 * ```
 *
 * Throws a TypeError that names the option that is missing or wrong.
 */
export function createClient(options: ClientOptions): TrunklineClient {
  const transport = createTransport(checkClientOptions(options));
  const calls = remoteCalls(transport);
  return {
    ...calls,
    instances: { ...calls.instances, ...instanceCalls(transport, calls.instances) },
    messages: { ...calls.messages, ...messageCalls(transport, calls.messages) },
    webhooks: { ...calls.webhooks, ...webhookCalls(calls.webhooks) },
    events: { ...calls.events, ...eventCalls(transport) },
  };
}

/**
 * Calls the REST API of a workspace, grouped like `WorkspaceApi` of `@trunkline/core`. Every call resolves with a
 * result. Only iterating can throw, usually a `ClientError`.
 */
export type TrunklineClient = {
  readonly [Group in keyof RemoteApi]: Group extends keyof OwnCalls
    ? Omit<RemoteApi[Group], keyof OwnCalls[Group]> & OwnCalls[Group]
    : RemoteApi[Group];
};

interface OwnCalls {
  /** Instances: the numbers that send and receive messages. */
  readonly instances: InstanceCalls;
  /** Sends, lists and reads messages. */
  readonly messages: MessageCalls;
  /** Webhook endpoints: the URLs that events are sent to. */
  readonly webhooks: WebhookCalls;
  /** Events of the workspace. */
  readonly events: EventCalls;
}

type Call = (...given: readonly unknown[]) => Promise<CallResult<{ readonly data: unknown }>>;

function remoteCalls(transport: Transport): RemoteApi {
  const groups = Object.entries(OPERATIONS).map(([group, operations]) => {
    const calls = Object.entries<Operation>(operations).map(([name, operation]): [string, Call] => [
      name,
      (...given) => call(transport, operation, given),
    ]);
    return [group, Object.fromEntries(calls)] as const;
  });
  // The groups and names are right, because `OPERATIONS` is typed by `RemoteApi`. The client trusts the service to send
  // the types that `RemoteApi` declares.
  return Object.fromEntries(groups) as unknown as RemoteApi;
}

/** `given` holds the id and the input, if the operation has them, and then the options. */
async function call(
  transport: Transport,
  { method, path, input, facts = {} }: Operation,
  given: readonly unknown[],
): Promise<CallResult<{ readonly data: unknown }>> {
  const rest = [...given];
  const target = path.includes('{') ? pathOf(path, String(rest.shift())) : path;
  const content = input === undefined ? {} : { [input]: rest.shift() ?? {} };
  const { signal } = (rest[0] ?? {}) as CallOptions; // the id and the input are already removed
  const response = await transport({ method, path: target, ...content, signal });
  if (!response.ok) return response;
  const { requestId, body } = response;
  const meta: Readonly<Record<string, unknown>> = { ...Object(body?.['meta']) };
  const beside = Object.entries(facts).map(([name, inMeta]) => [name, meta[inMeta] ?? null] as const);
  return { ok: true, requestId, data: body?.['data'], ...Object.fromEntries(beside) };
}
