import { join } from 'node:path';
import { expect } from 'vitest';
import type { NetworkRecord } from '@trunkline/core/sandbox';
import { until } from '@trunkline/test-support';
import { openSandboxJournal } from '../../src/networks/sandbox-journal.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { API_KEY, testClient } from './test-client.ts';
import type { TestClient } from './test-client.ts';
import { startReceiver } from './test-receiver.ts';
import type { ReceivedRequest, TestReceiver } from './test-receiver.ts';

/**
 * Longer than the leases of instances and webhooks, so that a server that starts this much later finds no unexpired
 * lease.
 */
const LATER_MS = 61_000;

/** A data directory with a connected instance, and a receiver of its events. */
export interface Harness {
  readonly receiver: TestReceiver;
  readonly instance: string;
  /** Starts a server on the directory, as if a little more than a minute had passed since the last start. */
  startLater(env?: Readonly<Record<string, string>>): Promise<RunningServer>;
  /** Starts a server without advancing the clock. */
  startNow(env?: Readonly<Record<string, string>>): Promise<RunningServer>;
  /** `aheadMs` is negative if the clock is behind. */
  startAt(aheadMs: number, env?: Readonly<Record<string, string>>): Promise<RunningServer>;
  /** Deletes the receiver's webhook, and registers a new one, with its own slots and rate limit. */
  replaceWebhook(server: RunningServer): Promise<void>;
  /** The messages that the sandbox network accepted. Call it while no server runs. */
  acceptedByNetwork(): readonly Extract<NetworkRecord, { kind: 'accepted' }>[];
}

export interface RunningServer extends ServerProcess {
  readonly client: TestClient;
}

const EVENTS = [
  'instance.connected',
  'instance.disconnected',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
];

/** The receiver subscribes to `events`. */
export async function startHarness(
  env: Readonly<Record<string, string>> = {},
  events: readonly string[] = EVENTS,
): Promise<{ harness: Harness; server: RunningServer }> {
  const DATA_DIR = join(temporaryDirectory(), 'data');
  const receiver = await startReceiver();
  let starts = 0;
  const start = async (
    more: Readonly<Record<string, string>> = {},
    aheadMs: number = starts * LATER_MS,
  ): Promise<RunningServer> => {
    const server = await startServer({
      env: { DATA_DIR, API_KEY, WEBHOOK_URL_POLICY: 'local', RATE_LIMIT: '0', ...more },
      aheadMs,
    });
    return { ...server, client: testClient(server.url) };
  };
  const server = await start(env);
  const register = async ({ client }: RunningServer): Promise<string> => {
    const { id: webhook, secret } = await client.registerWebhook(receiver.url, events);
    receiver.secret = secret;
    return webhook;
  };
  let webhookId = await register(server);
  const { id } = await server.client.createInstance();
  await server.client.connect(id);
  const harness: Harness = {
    receiver,
    instance: id,
    startNow: (more) => start(more),
    startAt: (aheadMs, more) => start(more, aheadMs),
    startLater(more) {
      starts += 1;
      return start(more);
    },
    async replaceWebhook(running) {
      const { status } = await running.client.request('DELETE', `/api/v1/webhooks/${webhookId}`);
      expect(status).toBe(204);
      webhookId = await register(running);
    },
    acceptedByNetwork() {
      const journal = openSandboxJournal(join(DATA_DIR, 'sandbox.db'));
      const accepted = [...(journal?.load() ?? [])].filter((record) => record.kind === 'accepted');
      journal?.close();
      return accepted;
    },
  };
  return { harness, server };
}

export function requestsAbout(receiver: TestReceiver, messageId: string): readonly ReceivedRequest[] {
  return receiver.requests.filter(
    ({ event: { data } }) => 'message' in data && data.message.id === messageId,
  );
}

/**
 * Waits until a message is read and the receiver is notified of its three events. Checks that repeated requests carry
 * the same event id and delivery id.
 */
export async function untilNotified(
  { receiver }: Harness,
  { client }: RunningServer,
  messageId: string,
): Promise<void> {
  await until('the message is read', async () => (await client.message(messageId)).status === 'read');
  await until('the receiver is notified', () => typesOf(responded(receiver, messageId)).length === 3);
  expectNotifiedOnce(receiver, messageId);
}

/** Checks that repeats had the same event and delivery id. */
export function expectNotifiedOnce(receiver: TestReceiver, messageId: string): void {
  const requests = requestsAbout(receiver, messageId);
  expect(typesOf(requests)).toEqual(['message.delivered', 'message.read', 'message.sent']);
  expect(new Set(requests.map(({ event }) => event.id)).size).toBe(3);
  expect(new Set(requests.map(({ deliveryId }) => deliveryId)).size).toBe(3);
}

function responded(receiver: TestReceiver, messageId: string): readonly ReceivedRequest[] {
  return requestsAbout(receiver, messageId).filter((request) => request.responded);
}

function typesOf(requests: readonly ReceivedRequest[]): readonly string[] {
  return [...new Set(requests.map(({ event }) => event.type))].toSorted();
}
