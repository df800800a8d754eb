import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { createTrunkline, silentLogger } from '@trunkline/core';
import type { Trunkline } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually } from '@trunkline/test-support';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBridge } from '../src/bridge.ts';
import type { Bridge } from '../src/bridge.ts';
import type { WebhookAuthenticity } from '../src/webhook-authenticity.ts';
import { ACCESS_TOKEN, INBOX_ID, startChatwootStandIn } from './support/chatwoot-stand-in.ts';
import type { ChatwootStandIn } from './support/chatwoot-stand-in.ts';

const MINUTE = 60_000;
const MEBIBYTE = 1024 ** 2;
const SECRET = 'the-secret-of-the-inbox';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let runtime: ReturnType<typeof testRuntime>;
let sandbox: Sandbox;
let trunkline: Trunkline;
let chatwoot: ChatwootStandIn;
let bridge: Bridge;
let instance: string;
let folder: string;
let server: ReturnType<typeof serve>;

beforeEach(() => start({ signedWith: SECRET }));
afterEach(stop);

async function start(webhook: WebhookAuthenticity): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-chatwoot-'));
  runtime = testRuntime();
  sandbox = createSandbox({ scansQrs: true });
  trunkline = createTrunkline({
    ...runtime,
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [sandbox.gateway],
    logger: silentLogger,
    secretKey: 'of the tests, with thirty-two characters',
  });
  await trunkline.start();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const { instances } = trunkline.workspace(workspaceId);
  instance = (await instances.create({ name: 'Support' })).id;
  chatwoot = await startChatwootStandIn();
  bridge = createBridge({
    trunkline,
    workspaceId,
    instance,
    chatwoot: { url: chatwoot.url, accountId: 1, inboxId: INBOX_ID, accessToken: ACCESS_TOKEN },
    webhook,
    database: join(folder, 'bridge.db'),
  });
  await bridge.registered;
  await instances.connect(instance);
  await eventually(async () => {
    await runtime.clock.advance(100);
    expect((await instances.get(instance)).status).toBe('connected');
  });
  server = serve({ fetch: bridge.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  chatwoot.webhook = { url: `http://127.0.0.1:${port}/chatwoot`, secret: SECRET };
}

async function stop(): Promise<void> {
  const stopped = trunkline.stop();
  await runtime.clock.advance(MINUTE);
  await stopped;
  server.close();
  bridge.close();
  await chatwoot.stop();
  await rm(folder, { recursive: true, force: true });
}

const phone = () => sandbox.phone(instance);
const sentByPhone = () => phone().accepted();

function soon<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return eventually(async () => {
    await runtime.clock.advance(500);
    return check();
  });
}

async function begun(text = 'Where is it?'): Promise<number> {
  await phone().receive({ from: '15550177', text });
  await soon(() => expect(chatwoot.messages).toHaveLength(1));
  return chatwoot.conversations[0]?.id ?? 0;
}

describe("a customer's message", () => {
  it('is in one conversation with one contact, which is found again', async () => {
    await begun();
    await phone().receive({ from: '15550177', text: 'Hello?' });
    await soon(() => expect(chatwoot.messages).toHaveLength(2));
    expect(chatwoot.messages).toMatchObject([
      {
        conversation: 1,
        message_type: 'incoming',
        content: 'Where is it?',
        source_id: expect.stringMatching(/^msg_/),
      },
      { conversation: 1, message_type: 'incoming', content: 'Hello?' },
    ]);
    expect(chatwoot.contacts).toMatchObject([
      { identifier: expect.stringMatching(/^con_/), phone_number: '+15550177' },
    ]);
    expect(chatwoot.conversations).toHaveLength(1);
  });

  it('goes to the contact that has the number already, and to a new conversation if the last one is resolved', async () => {
    chatwoot.addContact({ name: 'Ann', phone_number: '+15550177' });
    chatwoot.resolve(await begun());
    await phone().receive({ from: '15550177', text: 'And another thing' });
    await soon(() => expect(chatwoot.messages).toMatchObject([{ conversation: 1 }, { conversation: 2 }]));
    expect(chatwoot.contacts).toHaveLength(1);
  });

  it('has its file, even if it arrives late', async () => {
    const file = { type: 'image', content: PNG, mimeType: 'image/png', filename: 'receipt.png' } as const;
    await phone().receive({ from: '15550177', text: 'The receipt', file });
    await soon(() => expect(chatwoot.messages).toHaveLength(1));
    expect(chatwoot.messages[0]).toMatchObject({
      content: 'The receipt',
      attachments: [{ name: 'receipt.png', type: 'image/png', size: PNG.length }],
    });
    await phone().receive({ from: '15550177', text: 'One more', file: { ...file, delayMs: MINUTE } });
    await soon(() => expect(chatwoot.messages).toHaveLength(2));
    await runtime.clock.advance(MINUTE);
    await soon(() => expect(chatwoot.messages).toHaveLength(3));
    expect(chatwoot.messages.slice(1)).toMatchObject([
      { content: 'One more\n[image: the file is not available yet]', attachments: [] },
      { content: '', attachments: [{ size: PNG.length }] },
    ]);
  });

  it('names its author in a group, and the answer goes to the group', async () => {
    const groupNetworkId = await phone().addGroup({ name: 'Builders', participantsCount: 3 });
    await phone().receive({ from: '15550177', text: 'Hello all', groupNetworkId });
    await soon(() => expect(chatwoot.messages).toHaveLength(1));
    expect(chatwoot.contacts).toMatchObject([
      { name: 'Builders', identifier: expect.stringMatching(/^grp_/) },
    ]);
    expect(chatwoot.messages[0]?.content).toMatch(/^\*\*.+:\*\* Hello all$/);
    const answer = await chatwoot.write({ conversation: 1, content: 'Hello' });
    expect(answer).toMatchObject({ status: 'sent', external_error: null });
    await soon(() => expect(sentByPhone()).toMatchObject([{ to: groupNetworkId, text: 'Hello' }]));
  });

  it('is there once even if the response to its creation was lost', async () => {
    chatwoot.losesResponse = true;
    await begun();
    const before = chatwoot.searches;
    runtime.clock.jump(MINUTE);
    await soon(() => expect(chatwoot.searches).toBeGreaterThan(before));
    // The next message is handled only after the second attempt.
    await phone().receive({ from: '15550177', text: 'Hello?' });
    await soon(() => expect(chatwoot.messages.at(-1)?.content).toBe('Hello?'));
    expect(chatwoot.messages).toHaveLength(2);
  });

  it('waits while Chatwoot is unreachable, for longer than an hour', async () => {
    chatwoot.isDown = true;
    for (const text of ['One', 'Two', 'Three']) await phone().receive({ from: '15550177', text });
    await soon(() => expect(chatwoot.refused).toBe(3));
    for (const [index, minutes] of [1, 5, 30].entries()) {
      runtime.clock.jump(minutes * MINUTE);
      await soon(() => expect(chatwoot.refused).toBe(3 * (index + 2)));
    }
    runtime.clock.jump(60 * MINUTE);
    await runtime.clock.advance(10_000);
    expect(chatwoot.refused).toBe(12);
    chatwoot.isDown = false;
    runtime.clock.jump(60 * MINUTE);
    await soon(() => expect(chatwoot.messages).toHaveLength(3));
    expect(new Set(chatwoot.messages.map(({ content }) => content))).toEqual(
      new Set(['One', 'Two', 'Three']),
    );
    expect(chatwoot.contacts).toHaveLength(1);
  });
});

describe("an agent's message", () => {
  it('is sent to the customer, and its status comes back', async () => {
    const conversation = await begun();
    const message = await chatwoot.write({ conversation, content: 'On its **way**' });
    await soon(() => expect(sentByPhone()).toMatchObject([{ to: '15550177', text: 'On its *way*' }]));
    await soon(() => expect(message.status).toBe('read'));
    expect(chatwoot.messages).toHaveLength(2);
  });

  it('has its files, with the text as the caption of the first one', async () => {
    const conversation = await begun();
    const file = new File([PNG], 'räk "1".png', { type: 'image/png' });
    await chatwoot.write({ conversation, content: 'The receipt', file });
    await chatwoot.write({ conversation, file: new File(['GIF89a…'], 'dance.gif', { type: 'image/gif' }) });
    await soon(() =>
      expect(sentByPhone()).toMatchObject([
        { text: 'The receipt', file: { type: 'image', filename: 'räk "1".png', size: PNG.length } },
        { file: { type: 'document', filename: 'dance.gif' } },
      ]),
    );
  });

  it('has failed if its file does not arrive, and delays nothing after that', async () => {
    const conversation = await begun();
    chatwoot.withholdsFiles = true;
    const timeout = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(timeout.signal);
    const log = vi.spyOn(console, 'error').mockReturnValueOnce();
    onTestFinished(() => void vi.restoreAllMocks());
    const written = chatwoot.write({ conversation, file: new File([PNG], 'a.png', { type: 'image/png' }) });
    await eventually(() => expect(AbortSignal.timeout).toHaveBeenCalledOnce());
    const late = new Error('The time is over.');
    timeout.abort(late);
    expect(await written).toMatchObject({ status: 'failed' });
    expect(log).toHaveBeenCalledWith(late);
    const message = await chatwoot.write({ conversation, content: 'On its way' });
    await soon(() => expect(message.status).toBe('read'));
  });

  it('is sent once, however often Chatwoot posts it', async () => {
    const conversation = await begun();
    await chatwoot.write({ conversation, content: 'On its way' });
    expect([(await chatwoot.post())?.status, (await chatwoot.post())?.status]).toEqual([204, 204]);
    await soon(() => expect(chatwoot.messages[1]?.status).toBe('read'));
    expect(sentByPhone()).toHaveLength(1);
  });

  it('stays inside if it is a note', async () => {
    const conversation = await begun();
    await chatwoot.write({ conversation, content: 'He is angry', private: true });
    await chatwoot.write({ conversation, content: 'We are sorry' });
    await soon(() => expect(sentByPhone()).toMatchObject([{ text: 'We are sorry' }]));
    expect(sentByPhone()).toHaveLength(1);
  });

  it('has failed with the reason if the network refuses the number, or the service the message', async () => {
    chatwoot.addContact({ name: 'Bob', phone_number: '+15555550003' }); // 0003: see docs/sandbox.md
    await begun();
    await phone().receive({ from: '15555550003', text: 'Hi' });
    await soon(() => expect(chatwoot.messages).toHaveLength(2));
    const refused = await chatwoot.write({ conversation: 2, content: 'Hello' });
    await soon(() =>
      expect(refused).toMatchObject({ status: 'failed', external_error: expect.stringMatching(/^\w+: \w/) }),
    );
    const tooLong = await chatwoot.write({ conversation: 1, content: 'x'.repeat(5000) });
    expect(tooLong).toMatchObject({
      status: 'failed',
      external_error: expect.stringMatching(/^VALIDATION_FAILED: /),
    });
  });

  it('is sent when the agent tries again after the bridge was away, and not for any other change', async () => {
    const conversation = await begun();
    const { url } = chatwoot.webhook;
    chatwoot.webhook.url = 'http://127.0.0.1:9/';
    const message = await chatwoot.write({ conversation, content: 'On its way' });
    expect(message).toMatchObject({ status: 'failed' });
    chatwoot.webhook.url = url;
    await chatwoot.retry(message.id);
    await soon(() => expect(message.status).toBe('read'));
    await chatwoot.change(message.id, 'On its way!');
    expect(message).toMatchObject({ status: 'read', external_error: null });
    await soon(() => expect(sentByPhone()).toMatchObject([{ text: 'On its way' }]));
  });
});

it('what the owner writes on the phone is in the conversation, and is not sent again', async () => {
  await begun();
  await phone().write({ to: '15550177', text: 'I am at the door' });
  await soon(() => expect(chatwoot.messages).toHaveLength(2));
  expect(chatwoot.messages[1]).toMatchObject({ message_type: 'outgoing', content: 'I am at the door' });
  await runtime.clock.advance(MINUTE);
  expect(sentByPhone()).toEqual([]);
});

it('a conversation that an agent begins goes to the number of the contact', async () => {
  await begun();
  const { id } = chatwoot.addContact({ name: 'Cora', phone_number: '+15550188' });
  const headers = { api_access_token: ACCESS_TOKEN, 'content-type': 'application/json' };
  const body = JSON.stringify({ inbox_id: INBOX_ID, contact_id: id, source_id: crypto.randomUUID() });
  await fetch(`${chatwoot.url}/api/v1/accounts/1/conversations`, { method: 'POST', headers, body });
  await chatwoot.write({ conversation: 2, content: 'Good morning' });
  await soon(() => expect(sentByPhone()).toMatchObject([{ to: '15550188', text: 'Good morning' }]));
});

describe('a webhook that is not from Chatwoot', () => {
  it('is refused: another secret, an old timestamp, none at all', async () => {
    const conversation = await begun();
    await chatwoot.write({ conversation, content: 'On its way', private: true });
    const now = Math.floor(Date.now() / 1000);
    expect((await chatwoot.post({ secret: 'another' }))?.status).toBe(401);
    expect((await chatwoot.post({ timestamp: now - 301 }))?.status).toBe(401);
    expect((await chatwoot.post({ timestamp: now + 302 }))?.status).toBe(401);
    expect((await fetch(chatwoot.webhook.url, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await fetch(chatwoot.webhook.url)).status).toBe(405);
    expect((await chatwoot.post())?.status).toBe(204);
  });

  it('is refused before all of it is read, if it is large', async () => {
    const chunk = new Uint8Array(65_536);
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += chunk.length;
        if (read > 64 * MEBIBYTE) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const request = new Request(chatwoot.webhook.url, { method: 'POST', body, duplex: 'half' });
    expect((await bridge.fetch(request)).status).toBe(413);
    expect(read).toBeLessThan(8 * MEBIBYTE);
  });

  it('is refused by its address, for a Chatwoot that does not sign', async () => {
    await stop();
    await start({ secretInPath: 'kQ2v' });
    const { url } = chatwoot.webhook;
    const statusAt = async (address: string): Promise<number> =>
      (await fetch(address, { method: 'POST', body: '{}' })).status;
    expect([await statusAt(`${url}/kQ2v`), await statusAt(url), await statusAt(`${url}/kQ2w`)]).toEqual([
      204, 401, 401,
    ]);
  });
});
