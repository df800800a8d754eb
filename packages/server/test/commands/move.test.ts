import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DeliveryResource, MessageResource } from '@trunkline/core';
import { newDatabase } from '@trunkline/test-postgres';
import { HANG_MS, until } from '@trunkline/test-support';
import { startFakeS3 } from '@trunkline/test-support/fake-s3';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { startProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { openSandboxJournal } from '../../src/networks/sandbox-journal.ts';
import { COMMAND_LINE, runCommand, startCommand } from '../support/command-process.ts';
import type { CommandResult } from '../support/command-process.ts';
import { everythingServed } from '../support/everything-served.ts';
import { addSentMessages } from '../support/sent-messages.ts';
import { runServer, startServer } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startInTerminal, terminalMissing } from '../support/terminal-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { API_KEY, testClient } from '../support/test-client.ts';
import { startReceiver } from '../support/test-receiver.ts';
import type { TestReceiver } from '../support/test-receiver.ts';

const HOLD_AT_PRINT = new URL('../support/hold-at-print.ts', import.meta.url).href;

/** Every tenth message has a file. */
const MESSAGES = sized('MOVE_MESSAGES', { short: 20, long: 200 });
/** How many of the messages go through a server, because an endpoint gets at most 120 requests a minute. */
const SENT_BY_SERVER = 100;
/**
 * The limits of a move, whatever the number of rows. After a garbage collection, about 20 MB of the heap are in use,
 * both at 100,000 messages and at 300,000, so a heap of this size cannot hold something for each row. With this heap
 * limit, the peak RSS is 330 to 350 MB, of which SQLite's cache is 64 MB. Without it, the peak RSS is 370 to 475 MB,
 * most of it garbage that V8 has not collected yet.
 */
const HEAP_MB = 96;
const PEAK_MEMORY = 400 * 1024 * 1024;
const PEAK_MEMORY_PRELOAD = new URL('../support/peak-memory.ts', import.meta.url).href;
/** Random kills come within this time, about as long as a move takes. */
const KILLED_WITHIN_MS = 1_500 + MESSAGES / 3;
const KILLS = sized('MOVE_KILLS', { short: 2, long: 2 });
const AT_THE_SAME_TIME = 32;

const EVENTS = ['message.read', 'message.received'];

async function brokenEndpoint(): Promise<{ url: string; requests: () => number; fix: () => void }> {
  let requests = 0;
  let status = 500;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await until('the endpoint listens', () => server.listening);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return { url: `http://127.0.0.1:${port}/hook`, requests: () => requests, fix: () => void (status = 204) };
}

interface Place {
  readonly cwd: string;
  start(env?: Readonly<Record<string, string>>, aheadMs?: number): Promise<ServerProcess>;
  move(...args: readonly string[]): Promise<CommandResult>;
  /**
   * The peak RSS of the last move, in bytes. Measured only in the long form, because the peak for a few rows proves
   * nothing.
   */
  peakMemory(): number;
  /** Everything that an API-only server on this database serves. */
  served(databaseUrl: string): ReturnType<typeof everythingServed>;
  /** The texts given to the network, repeats included. */
  sentTexts(): readonly string[];
}

function place(): Place {
  const cwd = temporaryDirectory();
  const peakMemoryFile = join(cwd, 'peak-memory');
  const start: Place['start'] = (env = {}, aheadMs = 0) =>
    startServer({
      env: { DATA_DIR: join(cwd, 'data'), API_KEY, WEBHOOK_URL_POLICY: 'local', RATE_LIMIT: '0', ...env },
      aheadMs,
      cwd,
    });
  return {
    cwd,
    start,
    move: (...args) =>
      runCommand(['move', ...args], {
        cwd,
        ...(isLongForm && {
          env: {
            NODE_OPTIONS: `--import=${PEAK_MEMORY_PRELOAD} --max-old-space-size=${HEAP_MB}`,
            PEAK_MEMORY_FILE: peakMemoryFile,
          },
        }),
      }),
    peakMemory: () => (isLongForm ? Number(readFileSync(peakMemoryFile, 'utf8')) : 0),
    async served(databaseUrl) {
      const server = await start({ DATABASE_URL: databaseUrl, ROLES: 'api' });
      try {
        return await everythingServed(server.url);
      } finally {
        await server.stop();
      }
    },
    sentTexts() {
      const journal = openSandboxJournal(join(cwd, 'data', 'sandbox.db'));
      const accepted = [...(journal?.load() ?? [])].filter((record) => record.kind === 'accepted');
      journal?.close();
      return accepted.map(({ text }) => String(text)).toSorted();
    },
  };
}

/** Creates every kind of data: messages of all kinds, files, groups, waiting deliveries, and queued messages. */
async function filled(
  { cwd, start }: Place,
  messages: number,
  env: Readonly<Record<string, string>> = {},
): Promise<{
  instance: string;
  receiver: TestReceiver;
  broken: Awaited<ReturnType<typeof brokenEndpoint>>;
  served: Served;
}> {
  const receiver = await startReceiver();
  const broken = await brokenEndpoint();
  const server = await start(env);
  const client = testClient(server.url);
  const { id: instance } = await client.createInstance();
  await client.connect(instance);
  const { secret } = await client.registerWebhook(receiver.url, EVENTS);
  receiver.secret = secret;
  await client.registerWebhook(broken.url, ['message.received']);
  const sandbox = (path: string, body: object): Promise<unknown> =>
    client.request('POST', `/sandbox/instances/${instance}/${path}`, { body });
  await sandbox('groups', { name: 'Größe \u0001', participants_count: 3 });
  await sandbox('messages', { from: '15550101', text: 'hello \u0000 \u0001 \ud800 there' });
  await sandbox('messages', {
    sender: { network_id: 'hidden@lid', name: 'No "number"' },
    text: 'from a contact',
  });
  await sandbox('echoes', { to: '15550101', text: 'from the phone' });
  const numbers = Array.from({ length: Math.min(messages, SENT_BY_SERVER) }, (_, number) => number);
  const ids: string[] = [];
  const send = async (): Promise<void> => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const sent =
        number % 10 === 0
          ? await client.sendFile({ instance, content: `file ${number} ${randomBytes(8).toString('hex')}` })
          : await client.send({ instance, text: `message ${number}`, idempotencyKey: `key-${number}` });
      ids.push(sent.id);
    }
  };
  await Promise.all(Array.from({ length: AT_THE_SAME_TIME }, send));
  for (const id of ids) await until('it is read', async () => (await client.message(id)).status === 'read');
  await until('the broken endpoint has refused one', () => broken.requests() > 0);
  await server.stop();
  if (messages > SENT_BY_SERVER) await addSentMessages(join(cwd, 'data'), messages - SENT_BY_SERVER);
  // Accepted but not sent, because no process has a gateway.
  const api = await start({ ...env, ROLES: 'api' });
  for (const text of ['queued-1', 'queued-2', 'queued-3'])
    await testClient(api.url).send({ instance, text, idempotencyKey: text });
  const served = await everythingServed(api.url);
  await api.stop();
  return { instance, receiver, broken, served };
}

async function postgres(): Promise<string> {
  return (await newDatabase()).url;
}

/** How many rows a move has written to its target so far; null if the move has not begun, or has ended. */
async function rowsSoFar(target: string): Promise<number | null> {
  const value = target.startsWith('sqlite:') ? markInFile(target.slice(7)) : await markIn(target);
  if (value === null) return null;
  const { progress } = JSON.parse(value) as {
    progress?: { tables: Record<string, { rows: number }> } | null;
  };
  return progress ? Object.values(progress.tables).reduce((sum, { rows }) => sum + rows, 0) : null;
}

function markInFile(path: string): string | null {
  if (!existsSync(path) || statSync(path).size === 0) return null;
  const file = new DatabaseSync(path, { readOnly: true, timeout: HANG_MS });
  try {
    return (
      String(file.prepare("SELECT value FROM settings WHERE name = 'move'").get()?.['value'] ?? '') || null
    );
  } catch {
    return null; // the tables do not exist yet
  } finally {
    file.close();
  }
}

async function markIn(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ value: string }>(
      "SELECT value FROM trunkline.settings WHERE name = 'move'",
    );
    return rows[0]?.value ?? null;
  } catch {
    return null; // the tables do not exist yet
  } finally {
    await client.end();
  }
}

async function inPostgres(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Makes PostgreSQL refuse messages, as if its disk were full. */
const FILL_UP = `
  CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'could not extend file "base/5/16384": No space left on device' USING ERRCODE = 'disk_full';
  END $$;
  CREATE TRIGGER full_disk BEFORE INSERT ON trunkline.messages EXECUTE FUNCTION no_space()`;

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(directory, file)).isFile(),
  );
}

type Served = Awaited<ReturnType<typeof everythingServed>>;

/** Shows only the first row that differs, because a diff of all rows would be too long. */
function expectSame(found: Served, expected: Served): void {
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  for (const [name, rows] of Object.entries(expected)) {
    const there = found[name] ?? [];
    expect(there).toHaveLength(rows.length);
    const first = rows.findIndex((row, index) => !isDeepStrictEqual(row, there[index]));
    if (first !== -1)
      expect({ [`${name} ${first}`]: there[first] }).toEqual({ [`${name} ${first}`]: rows[first] });
  }
}

type Delivery = Pick<DeliveryResource, 'id' | 'status' | 'attempts'>;

function waitingDeliveries(served: Served): readonly Delivery[] {
  const lists = Object.entries(served).filter(([name]) => name.startsWith('deliveries of'));
  const deliveries = lists.flatMap(([, rows]) => rows) as readonly Delivery[]; // the specification defines this type
  return deliveries.filter(({ status }) => status === 'pending' || status === 'retrying');
}

describe('trunkline move', { timeout: 900_000 }, () => {
  it(`moves ${MESSAGES} messages and all related data to PostgreSQL and back, and both serve the same`, async () => {
    const at = place();
    const { instance, receiver, broken, served: before } = await filled(at, MESSAGES);
    const sqlite = `sqlite:${join(at.cwd, 'data', 'trunkline.db')}`;
    expect(before['messages']?.length).toBeGreaterThan(MESSAGES);
    expect(before['files']?.length).toBeGreaterThanOrEqual(Math.floor(MESSAGES / 10));
    const url = await postgres();

    const there = await at.move('--from', sqlite, '--to', url, '--yes', '--json');
    expect(there).toMatchObject({ code: 0, stderr: '' });
    const peakThere = at.peakMemory();
    const { data } = JSON.parse(there.stdout) as {
      data: { tables: Record<string, number>; rows_per_second: number };
    };
    expect(data.tables['messages']).toBe(before['messages']?.length);
    if (isLongForm) expectSame(await at.served(url), before);
    const back = `sqlite:${join(at.cwd, 'data', 'back.db')}`;
    const returned = await at.move('--from', url, '--to', back, '--yes', '--json');
    expect(returned).toMatchObject({ code: 0, stderr: '' });
    const peakBack = at.peakMemory();
    expectSame(await at.served(back), before);
    expect(statSync(join(at.cwd, 'data', 'back.db')).mode & 0o077).toBe(0);
    if (process.env['MOVE_MESSAGES'] !== undefined)
      console.info(`${there.stdout}peak RSS ${peakThere}\n${returned.stdout}peak RSS ${peakBack}`);
    expect(Math.max(peakThere, peakBack)).toBeLessThan(PEAK_MEMORY);

    // move-data.test.ts checks the same without servers.
    if (!isLongForm) return;
    // Each queued message is sent once, and waiting deliveries keep their remaining attempts.
    const [tries, heard] = [broken.requests(), receiver.requests.length];
    broken.fix();
    const server = await at.start({ DATABASE_URL: back }, 3_600_000);
    const client = testClient(server.url);
    await until('the delivery that waited is made', () => broken.requests() > tries);
    const repeated = await client.send({ instance, text: 'queued-2', idempotencyKey: 'queued-2' });
    const messages = before['messages'] as readonly Pick<MessageResource, 'id' | 'status'>[]; // the specification defines this type
    expect(messages.map(({ id }) => id)).toContain(repeated.id);
    expect(waitingDeliveries(before)).not.toEqual([]);
    for (const { id, attempts } of waitingDeliveries(before))
      await until('each delivery that waited is made, with the try after its last', async () => {
        const { body } = await client.request('GET', `/api/v1/webhook-deliveries/${id}`);
        const { data } = body as { data: Delivery }; // the specification defines this type
        return data.status === 'success' && data.attempts > attempts;
      });
    for (const { id } of messages.filter(({ status }) => status === 'queued'))
      await until('each queued message is read', async () => (await client.message(id)).status === 'read');
    await until('more of the webhooks that waited come', () => receiver.requests.length > heard);
    expect(receiver.refused).toEqual([]);
    const made = receiver.requests.map(({ deliveryId }) => deliveryId);
    expect(made.filter((id, index) => made.indexOf(id) !== index)).toEqual([]);
    await server.stop();
    const texts = at.sentTexts();
    expect(texts.filter((text) => text.startsWith('queued'))).toEqual(['queued-1', 'queued-2', 'queued-3']);
    expect(new Set(texts.filter((text) => text.startsWith('message'))).size).toBe(
      texts.filter((text) => text.startsWith('message')).length,
    );
  });

  it.runIf(isLongForm)(
    `continues where it was after ${KILLS} kills in each direction, and no server uses either database meanwhile`,
    async () => {
      const at = place();
      const { served: before } = await filled(at, MESSAGES);
      const sqlite = `sqlite:${join(at.cwd, 'data', 'trunkline.db')}`;
      const url = await postgres();
      const back = `sqlite:${join(at.cwd, 'data', 'back.db')}`;
      for (const [from, to] of [
        [sqlite, url],
        [url, back],
      ] as const) {
        const args = ['move', '--from', from, '--to', to, '--yes'];
        let reached = 0;
        for (let kill = 0; kill < KILLS; kill += 1) {
          const command = startCommand(args, { cwd: at.cwd });
          reached = await until('some more rows are there', async () => {
            const rows = await rowsSoFar(to);
            return rows !== null && (kill === 0 || rows > reached) && rows + 1;
          });
          await (kill % 2 === 0 ? command.kill() : command.stop());
          expect(await rowsSoFar(to)).toBeGreaterThanOrEqual(reached - 1);
        }
        const complaint = async (database: string): Promise<string> => {
          const env = { DATA_DIR: join(at.cwd, 'data'), DATABASE_URL: database };
          const { code, complaints } = await runServer({ env });
          expect(code).toBe(1);
          return complaints().join('\n');
        };
        expect(await complaint(from)).toContain('run the same "trunkline move" again');
        expect(await complaint(to)).toContain('has not ended: run the same "trunkline move" again');
        expect(await runCommand(args, { cwd: at.cwd })).toMatchObject({ code: 0, stderr: '' });
        expect(await complaint(from)).toContain('it was moved to');
        expectSame(await at.served(to), before);
      }
    },
  );

  it.runIf(isLongForm)(
    `ends with everything after ${KILLS} kills at random instants in each direction, files included`,
    async (context) => {
      const random = randomInTest(context);
      const at = place();
      const { served: before } = await filled(at, MESSAGES);
      const sqlite = `sqlite:${join(at.cwd, 'data', 'trunkline.db')}`;
      const url = await postgres();
      const back = `sqlite:${join(at.cwd, 'data', 'back.db')}`;
      for (const [from, to, media] of [
        [sqlite, url, join(at.cwd, 'media-there')],
        [url, back, join(at.cwd, 'media-back')],
      ] as const) {
        const args = ['move', '--from', from, '--to', to, '--media-to', media, '--yes', '--json'];
        const run = (): Program => startCommand(args, { cwd: at.cwd });
        let last = run();
        for (let kill = 0; kill < KILLS; kill += 1) {
          const end = await Promise.race([
            last.ended,
            setTimeout(random(KILLED_WITHIN_MS), 'in time' as const),
          ]);
          if (end !== 'in time') break;
          await last.kill();
          last = run();
        }
        expect({ code: await last.ended, stderr: last.stderr() }).toEqual({ code: 0, stderr: '' });
        expectSame(await at.served(to), before);
        // Every file is there, whichever run moved it.
        const named = before['files']?.map((file) => (file as readonly [id: string])[0]); // everythingServed returns pairs
        expect(filesIn(media).toSorted()).toEqual(filesIn(join(at.cwd, 'data', 'media')).toSorted());
        expect(filesIn(media)).toHaveLength(named?.length ?? 0);
      }
    },
  );

  it.runIf(isLongForm)(
    'moves only what fits, says so, and continues when there is room: on a full disk, and in a full PostgreSQL',
    async () => {
      const at = place();
      const { served: before } = await filled(at, 200);
      const sqlite = `sqlite:${join(at.cwd, 'data', 'trunkline.db')}`;
      const url = await postgres();
      expect(await runCommand(['migrate'], { cwd: at.cwd, env: { DATABASE_URL: url } })).toMatchObject({
        code: 0,
      });
      await inPostgres(url, FILL_UP);
      const there = await at.move('--from', sqlite, '--to', url, '--yes');
      expect(there).toMatchObject({ code: 1, stdout: '' });
      expect(there.stderr).toMatch(/^trunkline: .*No space left on device/);
      expect(there.stderr).toContain(
        'The move has not ended: when this is fixed, the same command continues',
      );
      expect(await rowsSoFar(url)).toBeGreaterThan(0);
      expect((await at.move('--from', sqlite, '--to', `${sqlite}2`, '--yes')).stderr).toContain(
        'has not ended: name that one with --to',
      );
      const other = place();
      await (await other.start()).stop();
      const otherSqlite = `sqlite:${join(other.cwd, 'data', 'trunkline.db')}`;
      expect(await other.move('--from', otherSqlite, '--to', url, '--yes')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`has a part of what a move from ${sqlite} has written`),
      });
      await (await other.start()).stop(); // `other` still works
      await inPostgres(url, 'DROP FUNCTION no_space() CASCADE');
      expect(await at.move('--from', sqlite, '--to', url, '--yes')).toMatchObject({ code: 0, stderr: '' });
      expectSame(await at.served(url), before);

      const back = `sqlite:${join(at.cwd, 'data', 'back.db')}`;
      const args = ['move', '--from', url, '--to', back, '--yes'];
      const full = startProgram('sh', {
        // The unit of `ulimit -f` is 1 KB or half of that, depending on the shell. The schema fits, but the rows do
        // not.
        args: [
          '-c',
          'ulimit -f 1200; exec "$@"',
          'sh',
          process.execPath,
          '--conditions=source',
          COMMAND_LINE,
          ...args,
        ],
        cwd: at.cwd,
        env: { PATH: process.env['PATH'], HOME: at.cwd },
      });
      expect(await full.ended).toBe(1);
      expect(full.stderr()).toContain(
        'The move has not ended: when this is fixed, the same command continues',
      );
      expect(await runCommand(args, { cwd: at.cwd })).toMatchObject({ code: 0, stderr: '' });
      expectSame(await at.served(back), before);
    },
  );

  it.runIf(isLongForm)(
    'takes the files of messages to S3 and back, each compared, and continues after S3 was away',
    async () => {
      const at = place();
      const { served: before } = await filled(at, 100);
      const s3 = await startFakeS3();
      onTestFinished(() => s3.close());
      const bucket = {
        S3_ENDPOINT: s3.endpoint,
        S3_KEY_ID: 'the-access-key-id',
        S3_SECRET_KEY: 'the-secret-access-key',
      };
      const from = `sqlite:${join(at.cwd, 'data', 'trunkline.db')}`;
      const there = `sqlite:${join(at.cwd, 'data', 'there.db')}`;
      const move = (
        env: Readonly<Record<string, string>>,
        ...args: readonly string[]
      ): Promise<CommandResult> => runCommand(['move', ...args, '--yes', '--json'], { cwd: at.cwd, env });
      const toS3 = (): Promise<CommandResult> =>
        move(bucket, '--from', from, '--to', there, '--media-to', 's3:media');
      s3.disturb(({ operation }, { outgoing }) => {
        if (operation !== 'PutObject' || s3.objects.size < 3) return undefined;
        outgoing.writeHead(403).end();
        return 'handled';
      });
      const failed = await toS3();
      expect(failed).toMatchObject({ code: 1, stdout: '' });
      expect(failed.stderr).toContain('The move has not ended');
      for (const secret of [bucket.S3_KEY_ID, bucket.S3_SECRET_KEY])
        expect(failed.stderr).not.toContain(secret);
      s3.disturb(() => undefined);
      const moved = await toS3();
      expect(moved).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(moved.stdout)).toMatchObject({
        data: { media_files: before['files']?.length, media_missing: 0 },
      });
      expect(s3.objects.size).toBe(before['files']?.length);
      expect(s3.unfinished()).toEqual([]);
      const back = `sqlite:${join(at.cwd, 'data', 'back.db')}`;
      rmSync(join(at.cwd, 'data', 'media'), { recursive: true });
      const inS3 = { ...bucket, S3_BUCKET: 'media' };
      expect(
        await move(inS3, '--from', there, '--to', back, '--media-to', join(at.cwd, 'data', 'media')),
      ).toMatchObject({ code: 0, stderr: '' });
      expectSame(await at.served(back), before);
    },
  );

  it.runIf(isLongForm && terminalMissing() === null)(
    'shows in a terminal how far it is, asks first, and continues after Ctrl-C in each of its phases',
    async () => {
      const at = place();
      const { served: before } = await filled(at, 200);
      const from = `sqlite:${join(at.cwd, 'data', 'trunkline.db')}`;
      const to = `sqlite:${join(at.cwd, 'data', 'other.db')}`;
      const args = ['move', '--from', from, '--to', to, '--media-to', join(at.cwd, 'media')];
      const refused = startInTerminal(args, { cwd: at.cwd });
      await refused.printed(/From now on no server can use the first one/);
      refused.input('\r');
      expect(await refused.ended).toBe(1);
      expect(refused.stdout()).toContain('Nothing was done.');
      expect((await at.served(from))['messages']).toHaveLength(before['messages']?.length ?? 0);
      for (const phase of [
        /copied \d+ of about \d+ rows/,
        /compared \d+ of about \d+ rows/,
        /\d+ files of messages/,
      ]) {
        const interrupted = startInTerminal([...args, '--yes'], {
          cwd: at.cwd,
          env: { NODE_OPTIONS: `--import ${HOLD_AT_PRINT}`, HOLD_AT_PRINT: phase.source },
        });
        await until(`it prints ${phase.source}`, () => phase.test(interrupted.stdout()));
        interrupted.input('\u0003');
        expect(await interrupted.ended).toBe(130);
        expect(interrupted.stdout()).toContain('Interrupted: the same command continues');
      }
      const ended = startInTerminal([...args, '--yes'], { cwd: at.cwd });
      expect(await ended.ended).toBe(0);
      const lines = ended.stdout().split('\r\u001b[K');
      expect(lines).toContain('preparing the new database');
      // The result follows the last progress line.
      expect(lines.at(-1)).toMatch(/^moved to/);
      expectSame(await at.served(to), before);
    },
  );

  it('keeps other processes from writing to the first database, and releases it with --undo', async () => {
    const at = place();
    const server = await at.start();
    const client = testClient(server.url);
    const { id: instance } = await client.createInstance();
    await client.connect(instance);
    await client.send({ instance });
    await server.stop();
    const path = join(at.cwd, 'data', 'trunkline.db');
    const [from, to] = [`sqlite:${path}`, `sqlite:${join(at.cwd, 'data', 'other.db')}`];
    const program = new DatabaseSync(path); // a connection that the move does not know
    const messages = (): unknown => program.prepare('SELECT count(*) AS messages FROM messages').get();
    const before = messages();
    expect(await at.move('--from', from, '--to', to, '--yes')).toMatchObject({ code: 0 });
    expect(() => program.exec('DELETE FROM messages')).toThrow('this database is being moved, or was moved');
    expect(() => program.exec("INSERT INTO settings VALUES ('a', 'b')")).toThrow(
      'use the database that it was moved to',
    );
    expect(messages()).toEqual(before);
    expect(await at.move('--from', from, '--to', `${to}2`, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`was moved to ${to} already`),
    });
    expect(await at.move('--from', from, '--undo')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A server on each of the two would send the same messages'),
    });
    expect(await at.move('--from', from, '--undo', '--yes')).toMatchObject({ code: 0 });
    program.exec('DELETE FROM queue');
    program.close();
    if (isLongForm) expect((await at.served(from))['messages']).toHaveLength(1);
    expect(await at.move('--from', from, '--undo', '--yes')).toMatchObject({
      code: 1,
      stderr: `trunkline: ${from} was not moved: there is nothing to undo.\n`,
    });
  });

  it.runIf(isLongForm)(
    'refuses a server that runs, a target that is not empty, and passwords that others could read',
    async () => {
      const at = place();
      const server = await at.start();
      const path = join(at.cwd, 'data', 'trunkline.db');
      const [from, to] = [`sqlite:${path}`, `sqlite:${join(at.cwd, 'data', 'other.db')}`];
      const refused = async (code: number, complaint: string, ...args: readonly string[]): Promise<void> =>
        expect(await at.move('--yes', ...args)).toEqual({
          code,
          stdout: '',
          stderr: `trunkline: ${complaint}\n`,
        });
      const running = await at.move('--from', from, '--to', to, '--yes');
      expect(running).toMatchObject({ code: 1, stdout: '' });
      expect(running.stderr).toMatch(/Process \d+ of this machine uses .*: stop the server first/);
      expect(await testClient(server.url).createInstance()).toMatchObject({ status: 'created' });
      await server.stop();
      await refused(2, '--to is missing: name the database that everything is moved to.', '--from', from);
      await refused(2, '--from and --to are the same database.', '--from', from, '--to', from);
      await refused(
        2,
        '--to has a password in it, which other users of this machine could read: put it into a variable, and name that as --to env:NAME.',
        '--to',
        'postgres://me:hush@127.0.0.1/x',
      );
      await refused(2, '--to: the environment has no variable NOWHERE.', '--to', 'env:NOWHERE');
      await refused(2, '--to must not be empty.', '--to', '');
      await refused(2, '--media-to must not be empty.', '--from', from, '--to', to, '--media-to', '');
      const full = place();
      await (await full.start()).stop();
      const inUse = `sqlite:${join(full.cwd, 'data', 'trunkline.db')}`;
      await refused(
        1,
        `${inUse} is not empty: name a new database. Nothing was moved, and nothing in it was changed.`,
        '--from',
        from,
        '--to',
        inUse,
      );
      await (await full.start()).stop();
      await (await at.start()).stop();
    },
  );

  it.runIf(isLongForm)(
    'takes the files of messages to another folder, each compared, and names one that differs there',
    async () => {
      const at = place();
      const { served: before } = await filled(at, 30);
      const from = `sqlite:${join(at.cwd, 'data', 'trunkline.db')}`;
      const data = join(at.cwd, 'new');
      const to = `sqlite:${join(data, 'trunkline.db')}`;
      mkdirSync(data, { mode: 0o700 });
      const move = (): Promise<CommandResult> =>
        at.move('--from', from, '--to', to, '--media-to', join(data, 'media'), '--yes', '--json');
      const [name = ''] = readdirSync(join(at.cwd, 'data', 'media'), {
        recursive: true,
        encoding: 'utf8',
      }).filter((file) => statSync(join(at.cwd, 'data', 'media', file)).isFile());
      const wrong = join(data, 'media', name);
      mkdirSync(dirname(wrong), { recursive: true, mode: 0o700 });
      writeFileSync(wrong, 'x'.repeat(statSync(join(at.cwd, 'data', 'media', name)).size), { mode: 0o600 });
      expect(await move()).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is another one at the place'),
      });
      rmSync(wrong);
      const moved = await move();
      expect(moved).toMatchObject({ code: 0, stderr: '' });
      const { data: result } = JSON.parse(moved.stdout) as { data: Readonly<Record<string, unknown>> };
      expect(result).toMatchObject({ media_files: before['files']?.length, media_missing: 0 });
      rmSync(join(at.cwd, 'data', 'media'), { recursive: true });
      copyFileSync(join(at.cwd, 'data', 'secret.key'), join(data, 'secret.key'));
      const server = await at.start({ DATA_DIR: data, ROLES: 'api' });
      expect(await everythingServed(server.url)).toEqual(before);
      await server.stop();
    },
  );
});
