import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, unwrap } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { readEvent } from '@trunkline/receiver';
import type { Ledger } from './ledger.ts';

/** A workspace with a connected instance, and a webhook for each type of event. */
export interface Account {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly client: TrunklineClient;
  readonly instance: string;
  /** The position up to which the streams of events were read. */
  lastEventId?: string;
}

/** One webhook for each type, because an endpoint gets at most two requests a second. */
const TYPES = ['message.sent', 'message.delivered', 'message.read', 'message.received'] as const;
/** The sandbox network replies to this number with the same text. */
const REPLIES = '15550005';
const READS = '15550100';
const FILE_BYTES = 200_000;

export async function createAccount(
  { baseUrl, apiKey }: Pick<Account, 'baseUrl' | 'apiKey'>,
  receiver: string,
): Promise<Account> {
  const client = createClient({ baseUrl, apiKey });
  for (const type of TYPES)
    unwrap(await client.webhooks.create({ url: `${receiver}/${type}`, events: [type] }));
  const { id: instance } = unwrap(await client.instances.create()).data;
  await connect(client, instance);
  // Streams start here, so that they have every event of the messages.
  const position = unwrap(await client.events.stream());
  for await (const { id } of position.data) return { apiKey, baseUrl, client, instance, lastEventId: id };
  throw new Error('The stream of events named no position.');
}

async function connect(client: TrunklineClient, instance: string): Promise<void> {
  unwrap(await client.instances.connect(instance));
  while (unwrap(await client.instances.get(instance)).data.status !== 'connected') await pause(20);
}

/** Sends a text, to which the network replies. */
export async function sendText(account: Account, ledger: Ledger, text: string): Promise<void> {
  const due = TYPES.flatMap((type) => [`webhook ${type}`, `stream ${type}`]);
  ledger.begin({ apiKey: account.apiKey, text }, due);
  const { instance } = account;
  const sent = await account.client.messages.send({ instance, to: REPLIES, type: 'text', text });
  if (sent.ok) ledger.accepted(text, sent.data.id);
  else ledger.refused(text);
}

/** Sends a file, and reads half of it, and then all of it, as clients do. */
export async function sendFile(account: Account, ledger: Ledger, caption: string): Promise<void> {
  const { client, instance, apiKey } = account;
  const types = TYPES.filter((type) => type !== 'message.received');
  ledger.begin(
    { apiKey, text: caption },
    types.flatMap((type) => [`webhook ${type}`, `stream ${type}`]),
  );
  const file = new File([new Uint8Array(FILE_BYTES)], 'soak.bin');
  const sent = await client.messages.send({ instance, to: READS, type: 'document', file, caption });
  if (!sent.ok) return ledger.refused(caption);
  ledger.accepted(caption, sent.data.id);
  const abandoned = unwrap(await client.messages.media(sent.data.id));
  const reader = abandoned.content.getReader();
  await reader.read();
  await reader.cancel();
  const whole = unwrap(await client.messages.media(sent.data.id));
  for await (const _chunk of whole.content);
}

/** Begins an upload, and closes the connection in the middle of the file. */
export async function abandonUpload({ baseUrl, apiKey, instance }: Account): Promise<void> {
  const field = (name: string, value: string): string =>
    `--soak\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const upload = request(`${baseUrl}/messages`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'multipart/form-data; boundary=soak',
      'Content-Length': 2 * FILE_BYTES,
    },
  });
  const closed = new Promise<void>((resolve) => {
    upload.once('close', resolve);
    upload.once('error', () => resolve()); // the connection was closed on purpose
  });
  upload.write(
    `${field('instance', instance)}${field('to', READS)}${field('type', 'document')}` +
      '--soak\r\nContent-Disposition: form-data; name="file"; filename="soak.bin"\r\n\r\n',
  );
  upload.write(Buffer.alloc(FILE_BYTES / 2));
  await pause(100);
  upload.destroy();
  await closed;
}

/** Creates an instance, links it, and deletes it. */
export async function replaceInstance({ client }: Account): Promise<void> {
  const { id } = unwrap(await client.instances.create()).data;
  await connect(client, id);
  unwrap(await client.instances.disconnect(id));
  unwrap(await client.instances.delete(id));
}

/** Reads the lists that a dashboard reads. */
export async function readLists({ client, instance }: Account): Promise<void> {
  const first = unwrap(await client.messages.list({ limit: 50 }));
  if (first.nextCursor !== null) unwrap(await client.messages.list({ limit: 50, cursor: first.nextCursor }));
  unwrap(await client.instances.list());
  unwrap(await client.instances.chats(instance));
  unwrap(await client.instances.history(instance));
  const { data: webhooks } = unwrap(await client.webhooks.list());
  if (webhooks[0]) unwrap(await client.webhooks.deliveries(webhooks[0].id));
}

/** Follows the events until `leaving` aborts, from where the last stream of the account ended. */
export async function followEvents(account: Account, ledger: Ledger, leaving: AbortSignal): Promise<void> {
  const { client, lastEventId } = account;
  const stream = await client.events.stream({ last_event_id: lastEventId }, { signal: leaving });
  if (!stream.ok) return;
  try {
    for await (const { id, event } of stream.data) {
      if (event) reportEvent(ledger, 'stream', event.body);
      account.lastEventId = id;
    }
  } catch (error) {
    if (!leaving.aborted) throw error;
  }
}

/** Notes an event that came by a webhook or a stream. */
export function reportEvent(ledger: Ledger, way: 'webhook' | 'stream', body: string): void {
  const read = readEvent(body);
  if (!read.ok) throw new Error(`An event cannot be read: ${read.reason}`);
  const { type, data } = read.event;
  if (!('message' in data)) return;
  const { text, caption } = data.message;
  ledger.report(text ?? caption ?? '', `${way} ${type}`);
}
