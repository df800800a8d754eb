import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { must, until } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { startCommand, startCommandHarness } from '../support/command-process.ts';
import type { CommandHarness } from '../support/command-process.ts';
import { testClient } from '../support/test-client.ts';
import type { TestClient } from '../support/test-client.ts';

const ADA = '15550111222';
const BOB = '15550111333';
/** A file's content, which is stored only in the media folder. */
const FILE_MARK = 'bytes-of-a-secret-file';

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

/** Echoes requests, so that each attempt stores the request's text in the database. */
async function echoingReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => response.writeHead(500).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // the server listens on TCP
}

interface Linked extends CommandHarness {
  readonly client: TestClient;
  readonly instance: string;
  receive(from: string, text: string, more?: Readonly<Record<string, string>>): Promise<void>;
  messages(): Promise<readonly { readonly id: string; readonly text: string | null }[]>;
}

async function linked(settings: Readonly<Record<string, string>> = {}): Promise<Linked> {
  const harness = await startCommandHarness({ API_KEY: 'a-key-for-the-tests', ...settings });
  const client = testClient(harness.server.url);
  const { id: instance } = await client.createInstance();
  await client.connect(instance);
  const post = async (body: unknown): Promise<void> => {
    const path = `/sandbox/instances/${instance}/messages`;
    expect((await client.request('POST', path, { body })).status).toBe(202);
  };
  return {
    ...harness,
    client,
    instance,
    async receive(from, text, more = {}) {
      await post({ from, text, ...more });
    },
    async messages() {
      const { body } = await client.request('GET', '/api/v1/messages?limit=100');
      return (body as { data: readonly { id: string; text: string | null }[] }).data; // the specification defines this type
    },
  };
}

async function withPeople(all: Linked): Promise<void> {
  const { client, instance } = all;
  await client.registerWebhook(await echoingReceiver(), ['message.received', 'message.sent', 'message.read']);
  const group = await client.request('POST', `/sandbox/instances/${instance}/groups`, {
    body: { name: 'Choir', participants_count: 7 },
  });
  const { id: group_id } = (group.body as { data: { id: string } }).data; // the specification defines this type
  await client.send({ instance, to: ADA, text: 'secret-to-ada', idempotencyKey: `order-${ADA}` });
  await client.send({ instance, to: BOB, text: 'hello bob' });
  await all.receive(ADA, 'secret-from-ada');
  await all.receive(ADA, 'secret-in-the-group', { group_id });
  await all.receive(BOB, 'bob in the group', { group_id });
  const form = new FormData();
  for (const [name, value] of Object.entries({ from: ADA, type: 'document', caption: 'secret-caption' }))
    form.set(name, value);
  form.set('file', new File([FILE_MARK.repeat(100_000)], 'secret-name.txt'));
  await client.request('POST', `/sandbox/instances/${instance}/messages`, { body: form });
  await until('all is there, and its webhooks were tried', async () => {
    const { body } = await client.request('GET', '/api/v1/messages?limit=100');
    const { data } = body as { data: readonly { status: string }[] }; // the specification defines this type
    return data.length === 6 && data.every(({ status }) => ['read', 'received'].includes(status));
  });
  await until('the response of a receiver is kept', () => found(all, 'secret-from-ada') > 2);
}

/** Counts a text in the files of the database and of messages, without the sandbox network's file. */
function found({ cwd }: Pick<Linked, 'cwd'>, text: string): number {
  const data = join(cwd, 'data');
  const media = join(data, 'media');
  const files = [
    ...['', '-wal', '-shm'].map((end) => join(data, `trunkline.db${end}`)),
    ...(existsSync(media) ? readdirSync(media, { recursive: true, encoding: 'utf8' }) : []).map((name) =>
      join(media, name),
    ),
  ].filter((path) => existsSync(path) && statSync(path).isFile());
  return files.reduce((sum, path) => sum + readFileSync(path, 'latin1').split(text).length - 1, 0);
}

const SECRETS = ['secret-', ADA, FILE_MARK, 'order-'];

function foundOf(all: Pick<Linked, 'cwd'>): Readonly<Record<string, number>> {
  return Object.fromEntries(SECRETS.map((text) => [text, found(all, text)]));
}

const NONE = Object.fromEntries(SECRETS.map((text) => [text, 0]));

function errorsIn({ server }: Pick<Linked, 'server'>): readonly string[] {
  return server
    .stderr()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line));
}

/** Oldest first. */
async function everyId(client: TestClient): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let path: string | null = '/api/v1/messages?limit=100'; path !== null;) {
    const { body } = await client.request('GET', path);
    const page = body as { data: readonly { id: string }[]; links: { next: string | null } }; // the specification defines this type
    ids.push(...page.data.map(({ id }) => id));
    path = page.links.next === null ? null : page.links.next.slice(new URL(page.links.next).origin.length);
  }
  return ids.toReversed();
}

describe('trunkline erase', () => {
  it.runIf(isLongForm)(
    'leaves no byte of a person in the database, its log and the media folder, while the server runs and after',
    async () => {
      const all = await linked();
      await withPeople(all);
      for (const count of Object.values(foundOf(all))) expect(count).toBeGreaterThan(0);
      const counts = { numbers: [ADA], messages: 4, files: 1, contacts: 1, left: [] };
      expect(await all.data('erase', '--number', `+${ADA}`, '--dry-run')).toMatchObject({
        erased: false,
        ...counts,
      });
      expect(await all.data('erase', '--number', ADA, '--yes')).toMatchObject({ erased: true, ...counts });
      expect(foundOf(all)).toEqual(NONE);
      expect((await all.messages()).map(({ text }) => text ?? '').toSorted()).toEqual([
        'bob in the group',
        'hello bob',
      ]);
      expect(found(all, BOB)).toBeGreaterThan(0);
      await all.receive(ADA, 'again');
      await until('the person can write again', () => all.messages().then(({ length }) => length === 3));
      await all.run('erase', '--number', ADA, '--yes');
      expect(await all.server.stop()).toBe(0);
      expect(errorsIn(all)).toEqual([]);
      expect(foundOf(all)).toEqual(NONE);
    },
  );

  it.runIf(isLongForm)('says what it would do, and does nothing without --yes', async () => {
    const all = await linked();
    await all.receive(ADA, 'secret');
    await until('it is there', () => all.messages().then(({ length }) => length === 1));
    const { code, stderr } = await all.run('erase', '--number', ADA);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `trunkline: 1 messages of ${ADA}, with 0 files, 1 events and 1 contacts, will be erased for good. Nothing was done: add --yes if you want that.\n`,
    });
    expect(await all.messages()).toHaveLength(1);
    for (const [args, complaint] of [
      [[], 'Name the person by either --number or --contact.'],
      [['--number', '1', '--contact', 'con_1'], 'Name the person by either --number or --contact.'],
      [
        ['--number', 'x'],
        'The request is not valid. number: A phone number must have 7 to 15 digits, beginning with the country code.',
      ],
      [['--contact', 'con_1'], 'There is no such contact in this workspace'],
      [['--number', ADA, '--workspace', 'ten_1'], 'There is no workspace ten_1'],
    ] as const) {
      const refused = await all.run('erase', ...args, '--yes');
      expect(refused.code).toBeGreaterThan(1);
      expect(refused.stderr).toContain(complaint);
    }
    expect(await all.messages()).toHaveLength(1);
    await all.server.stop();
  });

  it('continues after it was killed, wherever that was', async () => {
    const all = await linked();
    const { cwd, env, client, instance } = all;
    const count = sized('ERASED_MESSAGES', { short: 100, long: 600 });
    for (let first = 0; first < count; first += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => all.receive(ADA, `secret-${first + index}`)),
      );
    const form = new FormData();
    for (const [name, value] of Object.entries({ from: ADA, type: 'document' })) form.set(name, value);
    form.set('file', new File([FILE_MARK], 'file.txt'));
    await client.request('POST', `/sandbox/instances/${instance}/messages`, { body: form });
    const ids = await until('all is there', async () => {
      const found = await everyId(client);
      return found.length === count + 1 && found;
    });
    const isGone = async (index: number): Promise<boolean> =>
      (await client.request('GET', `/api/v1/messages/${must(ids.at(index))}`)).status === 404;
    for (const index of isLongForm ? [0, count / 2, count] : [count / 2]) {
      const command = startCommand(['erase', '--number', ADA, '--yes'], { cwd, env });
      await until('so many are erased', () => isGone(index));
      await command.kill();
      for (const one of [0, index]) expect(await isGone(one)).toBe(true);
    }
    expect(await all.data('erase', '--number', ADA, '--yes')).toMatchObject({ erased: true, left: [] });
    expect(foundOf(all)).toEqual(NONE);
    expect(await all.messages()).toEqual([]);
    await all.server.stop();
    expect(errorsIn(all)).toEqual([]);
  });
});

describe('trunkline export', () => {
  it('writes the stored data of a person into a folder readable only by its owner', async () => {
    const all = await linked();
    await withPeople(all);
    const directory = join(all.cwd, 'ada');
    expect(await all.data('export', '--number', ADA, '--to', directory)).toMatchObject({
      directory,
      contacts: 1,
      messages: 4,
      files: 1,
    });
    const lines = (name: string) =>
      readFileSync(join(directory, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line): Readonly<Record<string, unknown>> => JSON.parse(line));
    const messages = lines('messages.jsonl');
    expect(messages.map(({ text, caption }) => String(text ?? caption)).toSorted()).toEqual([
      'secret-caption',
      'secret-from-ada',
      'secret-in-the-group',
      'secret-to-ada',
    ]);
    expect(lines('contacts.jsonl')).toMatchObject([{ phone_number: ADA }]);
    expect(JSON.stringify(lines('events.jsonl'))).toContain('secret-from-ada');
    const { file } = must(messages.find((message) => message['file'] !== null));
    expect(readFileSync(join(directory, String(file)), 'utf8')).toBe(FILE_MARK.repeat(100_000));
    for (const name of ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })]) {
      const { mode } = statSync(join(directory, name));
      expect(mode & 0o077, name).toBe(0);
    }
    await all.server.stop();
  });

  it.runIf(isLongForm)('overwrites nothing, and follows no link', async () => {
    const all = await linked();
    await withPeople(all);
    const secret = join(all.cwd, 'elsewhere.txt');
    writeFileSync(secret, 'of somebody else');
    const outside = join(all.cwd, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(all.cwd, 'link'));
    symlinkSync(join(all.cwd, 'nowhere'), join(all.cwd, 'broken'));
    for (const name of ['outside', 'link', 'broken', 'elsewhere.txt']) {
      const { code, stderr } = await all.run('export', '--number', ADA, '--to', join(all.cwd, name));
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `trunkline: ${join(all.cwd, name)} already exists: name a new folder.\n`,
      });
    }
    symlinkSync(outside, join(all.cwd, 'ada.part'));
    expect(await all.run('export', '--number', ADA, '--to', join(all.cwd, 'ada'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ada.part belongs to an export that was killed'),
    });
    rmSync(join(all.cwd, 'ada.part'));
    expect(readdirSync(outside)).toEqual([]);

    // Replaces a file of the media folder with a link, as others with access to the folder could.
    const media = join(all.cwd, 'data', 'media');
    const [path = ''] = readdirSync(media, { recursive: true, encoding: 'utf8' })
      .map((name) => join(media, name))
      .filter((name) => statSync(name).isFile());
    rmSync(path);
    symlinkSync(secret, path);
    expect(await all.data('export', '--number', ADA, '--to', join(all.cwd, 'ada'))).toMatchObject({
      messages: 4,
      files: 0,
    });
    expect(await all.data('erase', '--number', ADA, '--yes')).toMatchObject({ messages: 4, left: [] });
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(secret, 'utf8')).toBe('of somebody else');
    await all.server.stop();
  });
});

describe('trunkline workspaces retention', () => {
  it.runIf(isLongForm)('says for how long messages are kept, and asks before it deletes', async () => {
    const { run, data, server } = await startCommandHarness();
    const [workspace] = (await run('workspaces', 'list')).stdout.match(/ten_\w+/) ?? [];
    const id = must(workspace);
    expect(await run('workspaces', 'retention', id, '--messages-days', '30')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('older than 30 days will be deleted'),
    });
    expect(await data('workspaces', 'retention', id, '--messages-days', '30', '--yes')).toMatchObject({
      messages_days: 30,
    });
    expect(await data('workspaces', 'retention', id, '--messages-days', 'forever')).toMatchObject({
      messages_days: 'forever',
    });
    expect(await data('workspaces', 'retention', id, '--messages-days', 'default')).toMatchObject({
      messages_days: null,
    });
    expect((await run('workspaces', 'retention', id, '--messages-days', '0', '--yes')).code).toBe(2);
    await server.stop();
  });
});
