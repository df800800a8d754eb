import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import type { Logger, Trunkline, WorkspaceApi } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import { uuidToId } from '@trunkline/core/spi/storage';
import type { Endpoint, IdPrefix, Instance, Storage, Workspace } from '@trunkline/core/spi/storage';
import { memoryStorage } from '@trunkline/core/testing';
import { HANG_MS, until } from '@trunkline/test-support';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';
import type { Child } from '@trunkline/test-support/start-child';
import { DAY } from './examples.ts';

export { describeFormerDeliveries } from './former-deliveries.ts';
export type { FormerDatabase } from './former-deliveries.ts';

/** How much there is of what, in the database of an earlier version. */
export interface UpgradeSize {
  readonly messages: number;
  readonly deliveries: number;
  /** Deliveries that have never been attempted, the first ones. */
  readonly open: number;
}

/** What that database holds: the rows of one workspace, and a history that is worked out from the row's number, from 1 on. */
export interface EarlierData extends UpgradeSize {
  readonly workspace: Workspace;
  /** Connected, at the sandbox network. */
  readonly instance: Instance;
  readonly session: ReadonlyMap<string, Uint8Array>;
  /** In turn, a delivery is for each of them. */
  readonly endpoints: readonly Endpoint[];
  /** Messages that are to be sent, the first ones: outbound, as every other one is. */
  readonly queued: number;
  /** Idempotency keys, `key-1` and so on, of the first messages. */
  readonly keys: number;
  /** When the history begins. */
  readonly since: number;
  readonly now: number;
}

/** The storage whose databases are upgraded. */
export interface UpgradeSubject {
  readonly name: string;
  /** The schemas that are upgraded, and when they were current. */
  readonly schemas: readonly (readonly [date: string, version: number])[];
  /** A database that does not exist yet. */
  newDatabase(): Promise<UpgradeDatabase>;
}

export interface UpgradeDatabase {
  /** A storage on the database, not open. */
  newStorage(): Storage<never>;
  /** Makes the database as the schema of this version left it. */
  makeEarlier(version: number, data: EarlierData): Promise<void>;
  /** Starts a process that prints a line when it is ready, and opens the database when it is asked to go on. */
  startOpening(): Child;
  /** Expects the database to be whole, and to have the newest schema. */
  expectCurrent(): Promise<void>;
}

/** With half as many deliveries; a million with UPGRADE_MESSAGES=1000000, which prints how long it takes. */
const MESSAGES = Number(process.env['UPGRADE_MESSAGES'] ?? 20_000);
const IS_LONG = process.env['UPGRADE_MESSAGES'] !== undefined;
const SIZE: UpgradeSize = { messages: MESSAGES, deliveries: MESSAGES / 2, open: IS_LONG ? 1_000 : 200 };
/** How long after it was asked to open the database each process is killed, one after another: the first always while it upgrades. */
const momentsOfKills = (random: RandomNumber): readonly number[] =>
  IS_LONG ? [20, 100, 250, 500, 1_000, 3_000, 6_000] : [random(20), 50 + random(200)];

const ENDPOINTS = 20;
/** So few that each endpoint gets all that is for it within a minute. */
const QUEUED = 20;
const KEYS = 1_000;
const DAYS = 8;
/** The messages are with each of them in turn, two at a time: one to them, and one from them. */
export const PEOPLE = 10;
/** The number of each is this, and the digit of their turn. */
export const PERSON_PREFIX = '1555010';
/** Another one, to whom nothing was sent before the upgrade. */
const NEWCOMER = '15550199';
/** An endpoint gets what is for it within the minute of its limit. */
const ARRIVAL_MS = 5 * HANG_MS;

/** When the message or delivery of this number was made, of so many. */
export function madeAt({ since, now }: EarlierData, row: number, rows: number): number {
  return since + row * Math.floor((now - since) / (rows + 1));
}

/** Whom the message of this number is with. Databases that do this by themselves do the same. */
export function personOf(row: number): string {
  return `${PERSON_PREFIX}${Math.floor(row / 2) % PEOPLE}`;
}

type Kind = Extract<IdPrefix, 'msg' | 'evt' | 'whd'>;

export const KINDS: Readonly<Record<Kind, number>> = { msg: 1, evt: 2, whd: 3 };

/** The id of the row of this number that was made then. Databases that do this by themselves do the same. */
export function idOfRow(prefix: Kind, at: number, row: number): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const digits = `${hex(at, 12)}7${hex(row % 4096, 3)}8${KINDS[prefix]}${hex(row, 14)}`;
  return uuidToId(prefix, digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
}

/** The body of the event of this row: its id is the row's number, so that a database can write it by itself. */
export function payloadOf(row: number | string): string {
  return JSON.stringify({ id: `event ${row}`, type: 'message.sent', data: { message: { text: 'Hello' } } });
}

/** The test that a storage upgrades what earlier versions of it have left: call it in a test file of its package. */
export function describeUpgrade({ name, schemas, newDatabase }: UpgradeSubject): void {
  it.for(schemas)(
    `a large ${name} database of %s is upgraded by processes that are killed, loses nothing and goes on`,
    { timeout: 3_600_000 },
    async ([, version], context) => {
      const random = randomInTest(context);
      const database = await newDatabase();
      const note = IS_LONG
        ? (line: string) => void process.stdout.write(`${name}, schema ${version}: ${line}\n`)
        : () => undefined;
      await expectUpgrade(database, { version, killsAfterMs: momentsOfKills(random), note });
      await database.expectCurrent();
    },
  );
}

interface Upgrade {
  readonly version: number;
  readonly killsAfterMs: readonly number[];
  readonly note: (line: string) => void;
}

/** Afterwards nothing is missing, and the service goes on with it. */
async function expectUpgrade(
  database: UpgradeDatabase,
  { version, killsAfterMs, note }: Upgrade,
): Promise<void> {
  const receiver = await startReceiver();
  const sandbox = createSandbox();
  const data: EarlierData = { ...(await liveRows(sandbox, receiver.url)), ...SIZE };
  const took = stopwatch();
  await database.makeEarlier(version, data);
  note(`made ${data.messages} messages and ${data.deliveries} deliveries in ${took()}`);

  const kills = await killOpening(database, killsAfterMs);
  expect(kills).toBeGreaterThan(0);
  const upgraded = stopwatch();
  const logger: Logger = {
    debug() {},
    info: (facts, line) => note(`${line} ${JSON.stringify(facts)}`),
    warn() {},
    error: (facts, line) => note(`${line} ${JSON.stringify(facts)}`),
  };
  const trunkline = service(database.newStorage(), sandbox, logger);
  await trunkline.start();
  note(`open ${upgraded()} after the last of ${kills} kills`);
  try {
    const api = trunkline.workspace(data.workspace.id);
    await expectWork(data, { api, sandbox, arrived: receiver.arrived });
    note(`sent what was open and queued ${upgraded()} after them`);
    await expectHistory(data, api);
    await expectLookUps(data, api);
    note(`look-ups by counterpart have all messages ${upgraded()} after them`);
  } finally {
    await trunkline.stop();
    receiver.close();
  }
}

/** Returns how many processes had not finished before they were killed. */
async function killOpening(database: UpgradeDatabase, killsAfterMs: readonly number[]): Promise<number> {
  let kills = 0;
  for (const ms of killsAfterMs) {
    const child = database.startOpening();
    await child.lines.next();
    child.go();
    const ended = child.ended.then(() => true);
    await setTimeout(ms);
    if (!(await Promise.race([ended, Promise.resolve(false)]))) kills += 1;
    child.kill();
    await ended;
  }
  return kills;
}

function service(storage: Storage<never>, sandbox: Sandbox, logger: Logger): Trunkline {
  return createTrunkline({
    ...nodeRuntime(),
    storage,
    gateway: sandbox.gateway,
    secretKey: 'a secret key of at least 32 characters',
    urlPolicy: 'local',
    logger,
  });
}

type LiveRows = Omit<EarlierData, keyof UpgradeSize>;

/** As the service makes them, on a storage that knows no schema. */
async function liveRows(sandbox: Sandbox, url: string): Promise<LiveRows> {
  const storage = memoryStorage();
  const silent = (): void => {};
  const trunkline = service(storage, sandbox, { debug: silent, info: silent, warn: silent, error: silent });
  await trunkline.start();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({
    name: 'Acme',
    plan: { webhookLimit: ENDPOINTS },
  });
  const api = trunkline.workspace(workspaceId);
  for (let index = 0; index < ENDPOINTS; index += 1)
    await api.webhooks.create({ url: `${url}/${index}`, events: ['message.sent'] });
  const { id } = await api.instances.create();
  await api.instances.connect(id);
  const untilStatus = (status: string): Promise<true> =>
    until(`the instance is ${status}`, async () => (await api.instances.get(id)).status === status);
  await untilStatus('qr_required');
  await sandbox.phone(id).scan({});
  await untilStatus('connected');
  await trunkline.stop();
  const [workspace, instance] = [
    await storage.workspaces.find(workspaceId),
    await storage.instances.find(workspaceId, id),
  ];
  if (!workspace || !instance)
    throw new Error(
      'The storage does not hold the workspace or the instance that the service has just made.',
    );
  const session = await storage.sessions.load(id);
  const endpoints = await storage.endpoints.list(workspaceId);
  const now = Date.now();
  return {
    workspace,
    instance,
    session,
    endpoints,
    queued: QUEUED,
    keys: KEYS,
    since: now - DAYS * DAY,
    now,
  };
}

/** What was waiting is done, once, and what is new works. */
async function expectWork(
  data: EarlierData,
  {
    api,
    sandbox,
    arrived,
  }: { readonly api: WorkspaceApi; readonly sandbox: Sandbox; readonly arrived: readonly string[] },
): Promise<void> {
  const { instance, open, deliveries, queued } = data;
  const content = { instance: instance.id, to: NEWCOMER, type: 'text', text: 'after the upgrade' } as const;
  await expect(api.messages.send(content, { idempotencyKey: 'key-1' })).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
  const { message } = await api.messages.send(content);
  // Of each message that is sent all endpoints hear.
  const expected = open + (queued + 1) * data.endpoints.length;
  await until('all webhooks arrive', () => new Set(arrived).size >= expected, ARRIVAL_MS);
  expect(arrived.toSorted()).toEqual([...new Set(arrived)].toSorted());
  const openIds = Array.from({ length: open }, (_, index) =>
    idOfRow('whd', madeAt(data, index + 1, deliveries), index + 1),
  );
  const missing = openIds.filter((id) => !arrived.includes(id));
  expect(missing).toEqual([]);
  expect(await api.messages.get(message.id)).toMatchObject({ text: 'after the upgrade' });
  const texts = sandbox
    .phone(instance.id)
    .accepted()
    .map(({ text }) => text);
  expect(texts.toSorted()).toEqual(
    [
      'after the upgrade',
      ...Array.from({ length: queued }, (_, index) => `message ${(index + 1) * 2}`),
    ].toSorted(),
  );
}

/** Every message and every delivery is listed, and what there is of one can be read. */
async function expectHistory(data: EarlierData, api: WorkspaceApi): Promise<void> {
  const { messages, deliveries, open, endpoints, queued } = data;
  let listed = await count((cursor) => api.messages.list({ limit: 100, ...cursor }));
  expect(listed).toBe(messages + 1);
  listed = 0;
  for (const { id } of endpoints)
    listed += await count((cursor) => api.webhooks.deliveries(id, { limit: 100, ...cursor }));
  expect(listed).toBe(deliveries + (queued + 1) * endpoints.length);
  for (const row of [1, open + 1, Math.floor(deliveries / 2), deliveries]) {
    const detail = await api.deliveries.get(idOfRow('whd', madeAt(data, row, deliveries), row));
    expect(detail).toMatchObject({ status: 'success', attempts: 1, attempt_log: [{ response_status: 204 }] });
    expect(detail.request.payload).toMatchObject({ id: `event ${row}` });
    // Its id does not have the order of the event's.
    const ofEvent = await api.events.deliveries(idOfRow('evt', madeAt(data, row, deliveries), row));
    expect(ofEvent.map(({ id }) => id)).toEqual([detail.id]);
  }
  for (const row of [2 * queued + 2, messages]) {
    const id = idOfRow('msg', madeAt(data, row, messages), row);
    expect(await api.messages.get(id)).toMatchObject({
      text: `message ${row}`,
      status: row % 2 === 0 ? 'read' : 'received',
    });
  }
}

/** Messages from before the upgrade are found by the person, as new ones are, once all are filed. */
async function expectLookUps({ instance, messages }: EarlierData, api: WorkspaceApi): Promise<void> {
  await until(
    'all messages are in the look-ups',
    async () => (await api.instances.chats(instance.id, { limit: 1 })).coverage.since === null,
    ARRIVAL_MS + 2 * messages,
  );
  const { data: chats } = await api.instances.chats(instance.id, { limit: 100 });
  // The last one is to somebody; before it, the newer one of each two is from somebody.
  const newest = Array.from({ length: PEOPLE }, (_, index) => Math.min(messages, messages + 1 - 2 * index));
  expect(chats.map(({ counterpart }) => counterpart)).toEqual([NEWCOMER, ...newest.map(personOf)]);
  expect(chats.map(({ last_message: last }) => last.excerpt)).toEqual([
    'after the upgrade',
    ...newest.map((row) => `message ${row}`),
  ]);
  const rowsWith = (person: string): readonly string[] =>
    Array.from({ length: messages }, (_, index) => messages - index)
      .filter((row) => personOf(row) === person)
      .map((row) => `message ${row}`);
  for (const person of [personOf(2), personOf(3), personOf(messages)])
    expect(await textsWith(api, person)).toEqual(rowsWith(person));
  expect(await textsWith(api, NEWCOMER)).toEqual(['after the upgrade']);
  expect(await textsWith(api, '15550177')).toEqual([]);
}

/** Newest first. */
async function textsWith(api: WorkspaceApi, counterpart: string): Promise<readonly (string | null)[]> {
  const texts: (string | null)[] = [];
  await count(async (cursor) => {
    const page = await api.messages.list({ counterpart, limit: 100, ...cursor });
    expect(page.coverage).toEqual({ since: null, delay_ms: 0 });
    texts.push(...page.data.map(({ text }) => text));
    return page;
  });
  return texts;
}

async function count(
  page: (cursor: {
    readonly cursor?: string;
  }) => Promise<{ readonly data: readonly unknown[]; readonly nextCursor: string | null }>,
): Promise<number> {
  let rows = 0;
  let cursor: string | null = null;
  do {
    const { data, nextCursor } = await page(cursor === null ? {} : { cursor });
    rows += data.length;
    cursor = nextCursor;
  } while (cursor !== null);
  return rows;
}

async function startReceiver(): Promise<{
  readonly url: string;
  /** Ids of deliveries, as they come. */
  readonly arrived: readonly string[];
  close(): void;
}> {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then(() => {
      arrived.push(String(request.headers['x-service-delivery']));
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    arrived,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function stopwatch(): () => string {
  const startedAt = performance.now();
  return () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
