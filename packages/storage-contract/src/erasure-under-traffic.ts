import { expect, it } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import type { MessageResource, Trunkline, WorkspaceApi } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import type { EventRecord, Storage } from '@trunkline/core/spi/storage';
import { recordingSender } from '@trunkline/core/testing';
import { HANG_MS, until } from '@trunkline/test-support';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';

/** A database that the test can search for remains of deleted rows. */
export interface ErasureDatabase {
  readonly storage: Storage<never>;
  /** The tables with rows that refer to deleted messages, events or deliveries. */
  tablesWithOrphans(): Promise<readonly string[]>;
}

const ADA = '15550111222';
const BOB = '15550111333';
/** In each wave, Ada and Bob each get and send one message. All messages fit on one page. */
const WAVES = 8;
/** An aborted erasure ends at one of its first `STEPS` steps, of about thirty. */
const STEPS = 20;

/**
 * Tests that a person can be erased while messages to and from them are sent, even if erasures are aborted at any step.
 */
export function describeErasureUnderTraffic(name: string, open: () => Promise<ErasureDatabase>): void {
  it(
    `on ${name}, a message that comes while a person is erased is erased or there as a whole, and other people’s are untouched`,
    { timeout: 300_000 },
    async (context) => {
      const random = randomInTest(context);
      const { storage, tablesWithOrphans } = await open();
      const complaints: string[] = [];
      const sandbox = createSandbox();
      const trunkline = service(storage, sandbox, complaints);
      await trunkline.start();
      try {
        const all = await linked(trunkline, sandbox);
        const traffic = passTraffic(all);
        await eraseMeanwhile(all, random, traffic);
        await untilDone(all);
        await expectWhole(all, storage);
        expect(await tablesWithOrphans()).toEqual([]);

        const { workspaceId } = all;
        expect(await trunkline.admin.erasePerson({ workspaceId, number: ADA })).toMatchObject({ left: [] });
        expect(await messagesOf(all, ADA)).toEqual([]);
        expect(JSON.stringify(await eventsIn(storage, workspaceId))).not.toContain(ADA);
        const { rows } = await storage.erasure.listContacts(workspaceId, { after: null, limit: 1_000 });
        expect(rows.map(({ phoneNumber }) => phoneNumber)).toEqual([BOB]);
        expect(await tablesWithOrphans()).toEqual([]);
      } finally {
        await trunkline.stop();
      }
      expect(complaints).toEqual([]);
    },
  );
}

function service(storage: Storage<never>, sandbox: Sandbox, complaints: string[]): Trunkline {
  const complain = (facts: object, line: string): void =>
    void complaints.push(`${line} ${JSON.stringify(facts)}`);
  return createTrunkline({
    ...nodeRuntime(),
    storage,
    gateways: [sandbox.gateway],
    webhookSender: recordingSender(),
    urlPolicy: 'local',
    secretKey: 'a secret key of at least 32 characters',
    logger: { debug() {}, info() {}, warn: complain, error: complain },
  });
}

interface Linked {
  readonly trunkline: Trunkline;
  readonly api: WorkspaceApi;
  readonly workspaceId: string;
  readonly instance: string;
  readonly sandbox: Sandbox;
}

async function linked(trunkline: Trunkline, sandbox: Sandbox): Promise<Linked> {
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const api = trunkline.workspace(workspaceId);
  await api.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['message.received', 'message.sent'] });
  const { id: instance } = await api.instances.create();
  await api.instances.connect(instance);
  const isIn = async (status: string): Promise<boolean> =>
    (await api.instances.get(instance)).status === status;
  await until('there is a QR', () => isIn('qr_required'));
  await sandbox.phone(instance).scan({});
  await until('it is connected', () => isIn('connected'));
  return { trunkline, api, workspaceId, instance, sandbox };
}

async function passTraffic({ api, instance, sandbox }: Linked): Promise<void> {
  const phone = sandbox.phone(instance);
  for (let wave = 0; wave < WAVES; wave += 1) {
    await Promise.all(
      [ADA, BOB].flatMap((number) => [
        api.messages.send({ instance, to: number, type: 'text', text: `to ${number}, ${wave}` }),
        phone.receive({ from: number, text: `from ${number}, ${wave}` }),
      ]),
    );
  }
}

/**
 * Erases Ada again and again until the traffic ends. Aborts every other erasure at some step, as if a process ended
 * between two transactions. The next erasure continues.
 */
async function eraseMeanwhile(
  { trunkline, workspaceId }: Linked,
  random: RandomNumber,
  traffic: Promise<void>,
): Promise<void> {
  let isOver = false;
  const over = traffic.finally(() => (isOver = true));
  for (let erasure = 0; !isOver || erasure < 4; erasure += 1) {
    const interruption = new AbortController();
    let left = erasure % 2 === 0 ? 1 + random(STEPS) : Infinity;
    const erased = trunkline.admin.erasePerson(
      { workspaceId, number: ADA },
      {
        signal: interruption.signal,
        onProgress() {
          left -= 1;
          if (left === 0) interruption.abort(new Error('ended'));
        },
      },
    );
    await erased.catch((error: unknown) => {
      if (!(error instanceof Error) || error.message !== 'ended') throw error;
    });
  }
  await over;
}

async function messagesOf({ api }: Linked, number: string): Promise<readonly MessageResource[]> {
  const { data } = await api.messages.list({ limit: 100 });
  return data.filter(({ to, from }) => to === number || from === number);
}

async function untilDone(all: Linked): Promise<void> {
  await until(
    'all that is left is read',
    async () => {
      const [ada, bob] = [await messagesOf(all, ADA), await messagesOf(all, BOB)];
      const isDone = [...ada, ...bob].every(({ status }) => status === 'read' || status === 'received');
      return isDone && bob.length === 2 * WAVES;
    },
    10 * HANG_MS,
  );
}

/** Checks that each remaining message is complete, and that deleted messages left no events. */
async function expectWhole(all: Linked, storage: Storage<never>): Promise<void> {
  const { api, workspaceId } = all;
  const messages = [...(await messagesOf(all, ADA)), ...(await messagesOf(all, BOB))];
  for (const { id, direction, contact } of messages) {
    const { data } = await api.messages.events(id);
    const expected = direction === 'inbound' ? ['received'] : ['read', 'delivered', 'sent'];
    expect(data.map(({ type }) => type)).toEqual(expected.map((what) => `message.${what}`));
    for (const event of data) {
      const isDelivered = event.type === 'message.sent' || event.type === 'message.received';
      expect((await api.events.deliveries(event.id)).data).toHaveLength(isDelivered ? 1 : 0);
    }
    if (direction === 'inbound') expect(contact).not.toBeNull();
  }
  const ids = new Set(messages.map(({ id }) => id));
  const events = await eventsIn(storage, workspaceId);
  const strays = events.filter(({ payload }) => {
    const { message } = JSON.parse(payload).data;
    return message !== undefined && !ids.has(message.id);
  });
  expect(strays).toEqual([]);
}

async function eventsIn(
  storage: Storage<never>,
  workspaceId: string,
): Promise<readonly Pick<EventRecord, 'payload'>[]> {
  const { rows } = await storage.erasure.listEvents(workspaceId, { after: null, limit: 10_000 });
  return rows;
}
