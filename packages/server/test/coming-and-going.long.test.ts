import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTrunkline, silentLogger } from '@trunkline/core';
import type { Storage, WorkspaceApi } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { startPostgres } from '@trunkline/test-postgres/server';
import { until } from '@trunkline/test-support';
import { sized } from '@trunkline/test-support/long-form';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Long enough for at least one renewal of leases, which happens every 10 s. */
const SECONDS = sized('COMING_AND_GOING_SECONDS', { short: 11, long: 16 });
const LASTS_MS = SECONDS * 1_000;
/**
 * Whether the test runs alone, on a fast machine. Otherwise messages may take longer, but still less time than a lease
 * lasts.
 */
const IS_ALONE = SECONDS >= 60;
const INSTANCES = IS_ALONE ? 400 : Math.ceil(SECONDS * 2.5);
const WITHIN_MS = IS_ALONE ? 2_000 : 25_000;
const SEND_EVERY_MS = 50;
/** On a slow machine, the test continues until this many messages are accepted. */
const MESSAGES_AT_LEAST = SECONDS * 9;

describe.concurrent('one process whose instances connect and stop all the time', () => {
  it.for(['SQLite', 'PostgreSQL'] as const)(
    'sends each message of a connected one soon after it was accepted, on %s',
    { timeout: LASTS_MS + 120_000 },
    async (kind) => {
      const postgres = kind === 'PostgreSQL' ? await startPostgres() : null;
      const storage: Storage<never> = postgres
        ? postgresStorage({ connectionString: postgres.url })
        : sqliteStorage({ path: join(temporaryDirectory(), 'trunkline.db') });
      try {
        const waits = await comeAndGo(storage);
        const longest = waits.at(-1) ?? Infinity;
        if (IS_ALONE) {
          const median = waits[Math.floor(waits.length / 2)];
          console.info(
            `${kind}, ${waits.length} messages: ${median} ms in the median, ${longest} ms at most`,
          );
        }
        expect(waits.length).toBeGreaterThan(MESSAGES_AT_LEAST / 2);
        expect(longest).toBeLessThan(WITHIN_MS);
      } finally {
        await postgres?.stop();
      }
    },
  );
});

/** Returns how long each message waited, in milliseconds, ascending. */
async function comeAndGo(storage: Storage<never>): Promise<readonly number[]> {
  const sandbox = createSandbox();
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage,
    gateways: [sandbox.gateway],
    secretKey: 'a secret key of at least 32 characters',
    logger: silentLogger,
  });
  await trunkline.start();
  try {
    const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
    const api = trunkline.workspace(workspaceId);
    const end = performance.now() + LASTS_MS;
    const connected: string[] = [];
    const sent: { readonly id: string; readonly instance: string }[] = [];
    const goesOn = (): boolean => performance.now() < end || sent.length < MESSAGES_AT_LEAST;

    const connect = async (): Promise<void> => {
      const { id } = await api.instances.create();
      await api.instances.connect(id);
      await until('a QR is shown', async () => (await api.instances.get(id)).status === 'qr_required');
      await sandbox.phone(id).scan({});
      await until('it is connected', async () => (await api.instances.get(id)).status === 'connected');
      connected.push(id);
    };
    const come = async (): Promise<void> => {
      for (let count = 0; count < INSTANCES && performance.now() < end; count += 1) {
        await connect();
        await setTimeout(LASTS_MS / INSTANCES / 2);
      }
    };
    /** Stops the newest instances, in three different ways, while the oldest stay connected. */
    const go = async (): Promise<void> => {
      for (let count = 0; goesOn(); count += 1) {
        await setTimeout((LASTS_MS / INSTANCES) * 1.2);
        const id = connected.length > 5 ? connected.pop() : undefined;
        if (id === undefined) continue;
        await populate(api, sent, id);
        if (count % 3 === 0) await sandbox.phone(id).fail();
        else if (count % 3 === 1) await api.instances.disconnect(id);
        else await api.instances.delete(id);
      }
    };
    const send = async (): Promise<void> => {
      for (let count = 0; goesOn(); count += 1) {
        const instance = connected[count % Math.max(1, connected.length)];
        if (instance !== undefined) {
          const text = `Message ${count}`;
          try {
            const { message } = await api.messages.send({ instance, to: '15550100', type: 'text', text });
            sent.push({ id: message.id, instance });
          } catch (error) {
            // Only an instance that has since stopped may refuse the message.
            if (connected.includes(instance)) throw error;
          }
        }
        await setTimeout(SEND_EVERY_MS);
      }
    };
    await Promise.all([come(), go(), send()]);
    const waits: number[] = [];
    for (const { id, instance } of sent) {
      const isConnected = connected.includes(instance);
      // A message accepted while its instance was stopping may stay queued, or fail.
      if (isConnected)
        await until(`${id} is sent`, async () => (await api.messages.get(id)).sent_at !== null);
      const { queued_at: queuedAt, sent_at: sentAt } = await api.messages.get(id);
      if (queuedAt !== null && sentAt !== null) waits.push(Date.parse(sentAt) - Date.parse(queuedAt));
    }
    return waits.toSorted((a, b) => a - b);
  } finally {
    await trunkline.stop();
  }
}

/** Waits until the last three messages of an instance that is about to stop are no longer queued. */
async function populate(
  api: WorkspaceApi,
  sent: readonly { readonly id: string; readonly instance: string }[],
  instance: string,
): Promise<void> {
  for (const { id } of sent.filter((one) => one.instance === instance).slice(-3))
    await until(`${id} is sent`, async () => (await api.messages.get(id)).status !== 'queued');
}
