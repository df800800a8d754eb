import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import type { TestContext } from 'vitest';
import { describe, expect, it } from 'vitest';
import { newDatabase } from '@trunkline/test-postgres';
import { HANG_MS, until } from '@trunkline/test-support';
import { sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';
import type { Program } from '@trunkline/test-support/start-program';
import { openSandboxJournal } from '../src/networks/sandbox-journal.ts';
import { runCommand, startCommand } from './support/command-process.ts';
import type { CommandResult } from './support/command-process.ts';
import { everythingServed } from './support/everything-served.ts';
import { addSentMessages } from './support/sent-messages.ts';
import { startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';
import type { TestClient } from './support/test-client.ts';
import { startReceiver } from './support/test-receiver.ts';

/** The number of kills of each operation. If the variable MAINTENANCE_KILLS is set, the outcomes are printed. */
const KILLS = sized('MAINTENANCE_KILLS', { short: 1, long: 2 });
/** The messages besides those of Ada; every tenth has a file. */
const MESSAGES = sized('MAINTENANCE_MESSAGES', { short: 300, long: 300 });
const MESSAGES_OF_ADA = 60;
const ADA = '15550111222';
/** Every text and file of Ada begins with this. */
const SECRET = 'secret-of-ada';
const QUEUED = ['queued-1', 'queued-2', 'queued-3'];
/** Longer than the sweeper keeps a file that belongs to no message. */
const A_DAY_LATER_MS = 25 * 60 * 60_000;
const UPLOADS = 6;
const UPLOAD_BYTES = 4_000_000;
const TIMEOUT_MS = 300_000 + KILLS * 60_000;

type Served = Awaited<ReturnType<typeof everythingServed>>;

/** The directory of a stopped server, which each kill gets a copy of. */
interface DataSet {
  readonly cwd: string;
  readonly instance: string;
  /** The signing secret of the webhook at `receiver`. */
  readonly secret: string;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
  /** Everything that a server without a gateway serves of this data. */
  readonly served: Served;
}

let prepared: Promise<DataSet> | undefined;

function dataSet(): Promise<DataSet> {
  return (prepared ??= prepare());
}

async function prepare(): Promise<DataSet> {
  const cwd = temporaryDirectory();
  const receiver = await startReceiver();
  const server = await startAt(cwd);
  const client = testClient(server.url);
  const { id: instance } = await client.createInstance();
  await client.connect(instance);
  const { secret } = await client.registerWebhook(receiver.url, ['message.read']);
  receiver.secret = secret;
  const sent = [await client.send({ instance }), await client.sendFile({ instance, content: 'a file' })];
  await Promise.all(
    Array.from({ length: MESSAGES_OF_ADA }, (_, number) => receiveFromAda(client, instance, number)),
  );
  for (const { id } of sent)
    await until('it is read', async () => (await client.message(id)).status === 'read');
  await until(
    'all of Ada’s messages are there',
    async () => (await idsOfAda(client)).length === MESSAGES_OF_ADA,
  );
  await until('the webhooks were made', () => receiver.requests.length === sent.length);
  await server.stop();
  await addSentMessages(join(cwd, 'data'), MESSAGES);
  // Accepted but not sent, because no process has a gateway.
  const api = await startAt(cwd, { env: { ROLES: 'api' } });
  for (const text of QUEUED) await testClient(api.url).send({ instance, text, idempotencyKey: text });
  const served = await everythingServed(api.url);
  await api.stop();
  expect(served['messages']).toHaveLength(MESSAGES + MESSAGES_OF_ADA + sent.length + QUEUED.length);
  return { cwd, instance, secret, receiver, served };
}

async function receiveFromAda(client: TestClient, instance: string, number: number): Promise<void> {
  const form = new FormData();
  form.set('from', ADA);
  if (number % 5 === 0) {
    form.set('type', 'document');
    form.set('file', new File([`${SECRET} file ${number} `.repeat(1_000)], 'file.txt'));
  } else form.set('text', `${SECRET} ${number}`);
  const path = `/sandbox/instances/${instance}/messages`;
  expect((await client.request('POST', path, { body: form })).status).toBe(202);
}

async function idsOfAda(client: TestClient): Promise<readonly string[]> {
  const { status, body } = await client.request('GET', `/api/v1/messages?counterpart=${ADA}&limit=100`);
  expect(status).toBe(200);
  return (body as { readonly data: readonly { readonly id: string }[] }).data.map(({ id }) => id); // the specification defines this type
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly aheadMs?: number;
  /** Relative to the directory. */
  readonly data?: string;
}

function startAt(
  cwd: string,
  { env = {}, aheadMs = 0, data = 'data' }: StartOptions = {},
): Promise<ServerProcess> {
  return startServer({
    env: { DATA_DIR: join(cwd, data), API_KEY, WEBHOOK_URL_POLICY: 'local', RATE_LIMIT: '0', ...env },
    aheadMs,
    cwd,
  });
}

/** Everything that a server without a gateway serves. */
async function servedAt(cwd: string, options: StartOptions = {}): Promise<Served> {
  const server = await startAt(cwd, { ...options, env: { ROLES: 'api', ...options.env } });
  const served = await everythingServed(server.url);
  expect(await server.stop()).toBe(0);
  return served;
}

/** Sends what was queued, once each, with webhooks that are signed with the secret of before. */
async function expectWorkContinues(cwd: string, options: StartOptions = {}): Promise<void> {
  const { instance, receiver } = await dataSet();
  const before = receiver.requests.length;
  const server = await startAt(cwd, options);
  const client = testClient(server.url);
  for (const text of QUEUED) {
    const { id } = await client.send({ instance, text, idempotencyKey: text });
    await until('it is read', async () => (await client.message(id)).status === 'read');
  }
  await until('the webhooks come', () => receiver.requests.length >= before + QUEUED.length);
  expect(receiver.refused).toEqual([]);
  expect(await server.stop()).toBe(0);
  const journal = openSandboxJournal(join(cwd, options.data ?? 'data', 'sandbox.db'));
  const accepted = [...(journal?.load() ?? [])].flatMap((record) =>
    record.kind === 'accepted' && record.text.startsWith('queued') ? [record.text] : [],
  );
  journal?.close();
  expect(accepted.toSorted()).toEqual(QUEUED);
}

/** Lets the sweeper's day pass, and then expects no file that no message has. */
async function expectNoFileWithoutMessage(cwd: string): Promise<void> {
  const server = await startAt(cwd, { env: { ROLES: 'api,maintenance' }, aheadMs: A_DAY_LATER_MS });
  const { files = [] } = await everythingServed(server.url);
  await until('every file on disk belongs to a message', () => filesIn(cwd).length === files.length);
  expect(await server.stop()).toBe(0);
}

function filesIn(cwd: string): readonly string[] {
  const media = join(cwd, 'data', 'media');
  return readdirSync(media, { recursive: true, encoding: 'utf8' }).filter((name) =>
    // A command may delete the file meanwhile.
    statSync(join(media, name), { throwIfNoEntry: false })?.isFile(),
  );
}

function copyOf(folder: string): string {
  const cwd = temporaryDirectory();
  cpSync(folder, cwd, { recursive: true });
  return cwd;
}

type Moment = 'in the middle' | 'after its end';

/** Prints when the kills of a series came: after every tenth kill, so that a series that is cut off has figures. */
function report(operation: string, moments: readonly Moment[], durationMs: number): void {
  if (process.env['MAINTENANCE_KILLS'] === undefined) return;
  if (moments.length % 10 !== 0 && moments.length !== KILLS) return;
  const counts = [...Map.groupBy(moments, (moment) => moment)].map(
    ([moment, kills]) => `${kills.length} ${moment}`,
  );
  console.info(
    `${operation}: ${moments.length} kills within ${durationMs.toFixed(0)} ms: ${counts.join(', ')}`,
  );
}

interface Operation {
  readonly name: string;
  readonly random: RandomNumber;
  /** The directory to copy for each kill. */
  readonly folder: string;
  /** The command, in a directory with its own database. */
  prepare(): Promise<{ readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }>;
  /** Whether the command has begun to write. */
  hasBegun(cwd: string): boolean;
  /** Called once, with the directory of a command that was not killed. */
  whole?(cwd: string): Promise<void>;
  /** Called after each kill, with a function that runs the same command again. */
  after(cwd: string, again: () => Promise<CommandResult>, kill: number): Promise<void>;
}

/**
 * Measures how long the command writes, and then kills it KILLS times, at random instants of that time, each time in a
 * new copy of the folder.
 */
async function killed(operation: Operation): Promise<void> {
  const { random, folder } = operation;
  const moments: Moment[] = [];
  const first = copyOf(folder);
  const whole = await begun(operation, first);
  const began = performance.now();
  expect({ code: await whole.command.ended, stderr: whole.command.stderr() }).toMatchObject({ code: 0 });
  const durationMs = performance.now() - began;
  await operation.whole?.(first);
  rmSync(first, { recursive: true });

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const cwd = copyOf(folder);
    const { command, again } = await begun(operation, cwd);
    const afterMs = (random(1_000) / 1_000) * durationMs;
    const end = await Promise.race([command.ended, setTimeout(afterMs, 'running' as const)]);
    await command.kill();
    moments.push(end === 'running' ? 'in the middle' : 'after its end');
    await operation.after(cwd, again, kill);
    rmSync(cwd, { recursive: true });
    report(operation.name, moments, durationMs);
  }
}

/** Starts the command, and waits until it writes, or has ended. */
async function begun(
  { prepare: prepareCommand, hasBegun }: Operation,
  cwd: string,
): Promise<{ readonly command: Program; readonly again: () => Promise<CommandResult> }> {
  const { args, env = {} } = await prepareCommand();
  const command = startCommand(args, { cwd, env });
  let isRunning = true;
  void command.ended.then(() => (isRunning = false));
  while (isRunning && !hasBegun(cwd)) await setTimeout(1);
  return { command, again: () => runCommand(args, { cwd, env }) };
}

describe(`A maintenance command that is killed at a random instant (${KILLS} times)`, () => {
  const isLast = (kill: number): boolean => kill === KILLS;

  it(
    'backup: the same command completes the backup, which restores completely',
    { timeout: TIMEOUT_MS },
    async (context) => {
      const { cwd: folder, served } = await dataSet();
      await killed({
        name: 'backup',
        random: randomInTest(context),
        folder,
        prepare: async () => ({ args: ['backup', 'b'] }),
        hasBegun: (cwd) => existsSync(join(cwd, 'b')),
        async after(cwd, again, kill) {
          const { code, stderr } = await again();
          if (code !== 0) expect(stderr).toContain('has a complete backup');
          const restored = await runCommand(['restore', 'b', '--data-dir', 'restored'], { cwd });
          expect(restored).toMatchObject({ code: 0 });
          expect(await servedAt(cwd, { data: 'restored' })).toEqual(served);
          if (isLast(kill)) await expectWorkContinues(cwd);
        },
      });
    },
  );

  it(
    'restore: the same command completes it, and no server uses a part of it',
    { timeout: TIMEOUT_MS },
    async (context) => {
      const { cwd: folder, served } = await dataSet();
      const withBackup = copyOf(folder);
      expect(await runCommand(['backup', 'b'], { cwd: withBackup })).toMatchObject({ code: 0 });
      await killed({
        name: 'restore',
        random: randomInTest(context),
        folder: withBackup,
        prepare: async () => ({ args: ['restore', 'b', '--data-dir', 'restored'] }),
        hasBegun: (cwd) => existsSync(join(cwd, 'restored')),
        async after(cwd, again, kill) {
          const { code, stderr } = await again();
          if (code !== 0) expect(stderr).toContain('would be overwritten');
          expect(await servedAt(cwd, { data: 'restored' })).toEqual(served);
          if (isLast(kill)) await expectWorkContinues(cwd, { data: 'restored' });
        },
      });
    },
  );

  it(
    'move: the same command completes it, and only one database is used',
    { timeout: TIMEOUT_MS },
    async (context) => {
      const { cwd: folder, served } = await dataSet();
      let url = '';
      await killed({
        name: 'move',
        random: randomInTest(context),
        folder,
        async prepare() {
          ({ url } = await newDatabase());
          return { args: ['move', '--to', 'env:NEW_DATABASE', '--yes'], env: { NEW_DATABASE: url } };
        },
        hasBegun: isMarkedAsMoved,
        async after(cwd, again, kill) {
          const { code, stderr } = await again();
          if (code !== 0) expect(stderr).toMatch(/was moved to \S+ already/);
          expect(await servedAt(cwd, { env: { DATABASE_URL: url } })).toEqual(served);
          await expect(startAt(cwd)).rejects.toThrow('it was moved to');
          if (isLast(kill)) await expectWorkContinues(cwd, { env: { DATABASE_URL: url } });
        },
      });
    },
  );

  it(
    'rotate-secret-key: the same command ends the rotation, and every secret opens',
    { timeout: TIMEOUT_MS },
    async (context) => {
      const { cwd: folder, served } = await dataSet();
      const keyIn = (cwd: string): string => readFileSync(join(cwd, 'data', 'secret.key'), 'utf8');
      await killed({
        name: 'rotate-secret-key',
        random: randomInTest(context),
        folder,
        prepare: async () => ({ args: ['rotate-secret-key', '--yes'] }),
        hasBegun: (cwd) => existsSync(join(cwd, 'data', 'secret.key.next')) || keyIn(cwd) !== keyIn(folder),
        async after(cwd, again, kill) {
          expect(await again()).toMatchObject({ code: 0 });
          expect(existsSync(join(cwd, 'data', 'secret.key.next'))).toBe(false);
          expect(keyIn(cwd)).not.toBe(keyIn(folder));
          expect(await servedAt(cwd)).toEqual(served);
          if (isLast(kill) || kill % 10 === 0) await expectWorkContinues(cwd);
        },
      });
    },
  );

  it(
    'erase: the same command erases the rest, and nothing of anyone else',
    { timeout: TIMEOUT_MS },
    async (context) => {
      const { cwd: folder } = await dataSet();
      let others: Served = {};
      await killed({
        name: 'erase',
        random: randomInTest(context),
        folder,
        prepare: async () => ({ args: ['erase', '--number', ADA, '--yes'] }),
        hasBegun: (cwd) => filesIn(cwd).length < filesIn(folder).length,
        async whole(cwd) {
          others = await servedAt(cwd);
          expect(others['messages']).toHaveLength(MESSAGES + 2 + QUEUED.length);
        },
        async after(cwd, again, kill) {
          const { code, stdout, stderr } = await again();
          expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
          expect(bytesOf([SECRET, ADA], cwd)).toEqual([]);
          expect(await servedAt(cwd)).toEqual(others);
          if (isLast(kill)) await expectWorkContinues(cwd);
          await expectNoFileWithoutMessage(cwd);
        },
      });
    },
  );
});

/** Whether the database of the directory says that it is moved, or was. */
function isMarkedAsMoved(cwd: string): boolean {
  const database = new DatabaseSync(join(cwd, 'data', 'trunkline.db'), { readOnly: true, timeout: HANG_MS });
  const mark = database.prepare("SELECT value FROM settings WHERE name = 'move'").get();
  database.close();
  return mark !== undefined;
}

/** The files of the database and of messages that contain one of the texts. */
function bytesOf(texts: readonly string[], cwd: string): readonly string[] {
  const data = join(cwd, 'data');
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /^(trunkline\.db|media)/.test(name) && statSync(join(data, name)).isFile(),
  );
  return names.filter((name) => {
    const content = readFileSync(join(data, name), 'latin1');
    return texts.some((text) => content.includes(text));
  });
}

it(
  `A server that is killed during uploads keeps the accepted ones, once each, and no other file (${KILLS} times)`,
  { timeout: TIMEOUT_MS },
  async (context: TestContext) => {
    const random = randomInTest(context);
    const moments: Moment[] = [];
    const { cwd: folder, instance } = await dataSet();
    const cwd = copyOf(folder);
    const ids = new Map<string, string>();
    const hashes = new Map<string, string>();
    const upload = async (server: ServerProcess, name: string): Promise<void> => {
      const content = Buffer.alloc(UPLOAD_BYTES, name);
      hashes.set(name, createHash('sha256').update(content).digest('hex'));
      const form = new FormData();
      const fields = { instance, to: '15550100', type: 'document', caption: name };
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      form.set('file', new File([content], `${name}.bin`));
      const { status, body } = await testClient(server.url).request('POST', '/api/v1/messages', {
        body: form,
        headers: { 'Idempotency-Key': name },
      });
      expect([200, 202]).toContain(status);
      const { id } = (body as { readonly data: { readonly id: string } }).data; // the specification defines this type
      expect(ids.get(name) ?? id).toBe(id);
      ids.set(name, id);
    };
    const uploads = (server: ServerProcess, round: number): Promise<void>[] =>
      Array.from({ length: UPLOADS }, (_, number) => upload(server, `upload-${round}-${number}`));

    let server = await startAt(cwd);
    await until(
      'the instance is connected',
      async () => (await testClient(server.url).instance(instance)).status === 'connected',
    );
    const began = performance.now();
    await Promise.all(uploads(server, 0));
    const durationMs = performance.now() - began;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const before = ids.size;
      const sent = Promise.allSettled(uploads(server, kill));
      await setTimeout(random(durationMs));
      await server.kill();
      await sent;
      const accepted = ids.size - before;
      moments.push(accepted === UPLOADS ? 'after its end' : 'in the middle');
      server = await startAt(cwd);
      await until(
        'the instance is connected',
        async () => (await testClient(server.url).instance(instance)).status === 'connected',
      );
      // A client repeats requests that had no response, with the same key.
      await Promise.all(uploads(server, kill));
      report('uploads', moments, durationMs);
    }
    const client = testClient(server.url);
    for (const id of ids.values())
      await until('it is read', async () => (await client.message(id)).status === 'read');
    expect(await server.stop()).toBe(0);

    const served = await servedAt(cwd);
    const files = new Map(served['files'] as readonly (readonly [string, string])[]); // everythingServed returns pairs
    expect(new Map([...ids].map(([name, id]) => [name, files.get(id)]))).toEqual(hashes);
    const captions = (served['messages'] as readonly { readonly caption: string | null }[]) // the specification defines this type
      .flatMap(({ caption }) => (caption?.startsWith('upload-') ? [caption] : []));
    expect(captions.toSorted()).toEqual([...hashes.keys()].toSorted());
    await expectNoFileWithoutMessage(cwd);
  },
);
