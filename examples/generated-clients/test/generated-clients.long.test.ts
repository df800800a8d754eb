import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageResource } from '@trunkline/core';
import { verify } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';
import { must, until } from '@trunkline/test-support';
import { serve } from 'trunkline';

const API_KEY = 'a-key-for-generated-clients';
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
const MODULES = join(import.meta.dirname, '../node_modules');
const TSC = join(import.meta.dirname, '../../../node_modules/.bin/tsc');
const STRICT =
  '--strict --noUncheckedIndexedAccess --noImplicitOverride --noImplicitReturns --noFallthroughCasesInSwitch --noUnusedLocals ' +
  '--isolatedModules --skipLibCheck false --allowImportingTsExtensions --noEmit --target es2024 --lib es2024,dom,dom.iterable ' +
  '--module esnext --moduleResolution bundler --types node';

interface Program {
  createInstance(name: string): Promise<string>;
  statusOf(instance: string): Promise<string>;
  sendText(instance: string, to: string, text: string): Promise<MessageResource | null>;
  sendImage(instance: string, to: string, file: File): Promise<MessageResource>;
  download(message: string): Promise<Blob>;
  messagesOf(instance: string): Promise<readonly MessageResource[]>;
  eventsOf(message: string): Promise<readonly WebhookEvent[]>;
  subscribe(url: string): Promise<string>;
  describe(event: WebhookEvent): string;
}

/** The page's commands, which run in the folder of `openapi.json`. */
const GENERATORS = [
  ['openapi-fetch', ['openapi-typescript', 'openapi.json', '--output', 'trunkline.d.ts']],
  [
    'hey-api',
    ['openapi-ts', '--input', 'openapi.json', '--output', 'trunkline', '--client', '@hey-api/client-fetch'],
  ],
] as const;

let folder = '';
let server: Awaited<ReturnType<typeof serve>> | undefined;
let page = '';
let document = '';

beforeAll(async () => {
  page = await readFile(new URL('../../../docs/generated-clients.md', import.meta.url), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'trunkline-generated-'));
  server = await serve({
    port: 0,
    dataDir: join(folder, 'data'),
    apiKey: API_KEY,
    webhookUrlPolicy: 'local',
    rateLimit: 0,
    logLevel: 'warn',
  });
  document = await (await fetch(`${server.url}/api/v1/openapi.json`)).text();
  Object.assign(process.env, { TRUNKLINE_URL: server.url, TRUNKLINE_API_KEY: API_KEY });
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.each(GENERATORS)('the program of docs/generated-clients.md with %s', (name, [tool, ...args]) => {
  let program: Program;

  beforeAll(async () => {
    const directory = join(folder, name);
    await mkdir(directory);
    await symlink(MODULES, join(directory, 'node_modules'));
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
    await writeFile(join(directory, 'openapi.json'), document);
    await writeFile(join(directory, 'program.ts'), programOf(name));
    await run(join(MODULES, '.bin', tool), args, directory);
    program = await load(directory);
  });

  it('compiles strictly, with all that was generated', async () => {
    await run(TSC, [...STRICT.split(' '), 'program.ts'], join(folder, name));
  });

  it('links a number, sends, lists, and knows the errors by their types', async () => {
    const instance = await linked(program);
    const sent = must(await program.sendText(instance, '+1 555 0123', 'Hello'));
    expect(sent).toMatchObject({ status: 'queued', to: '15550123', text: 'Hello' });
    expect(await program.sendText(instance, 'nobody', 'Hello')).toBeNull();
    for (const text of ['Two', 'Three']) await program.sendText(instance, '15550123', text);
    const listed = await program.messagesOf(instance);
    expect(listed.map(({ text }) => text)).toEqual(['Three', 'Two', 'Hello']);
    await expect(program.statusOf('ins_none')).rejects.toThrow('INSTANCE_NOT_FOUND: ');
  });

  it('uploads a file and downloads it again', async () => {
    const instance = await linked(program);
    const sent = await program.sendImage(instance, '15550123', new File([PNG], 'dot.png'));
    expect(sent).toMatchObject({ type: 'image', media: { filename: 'dot.png', size: PNG.length } });
    const file = await program.download(sent.id);
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PNG);
  });

  it('receives webhooks, which it knows by their types and every library accepts', async () => {
    const instance = await linked(program);
    const { secret, received } = await startReceiver((url) => program.subscribe(url));
    // Webhooks of other tests may still arrive.
    const own = () => received.filter(({ body }) => body.includes(instance));
    const { id } = must(await program.sendText(instance, '15550123', 'Who is there?'));
    await until('the message is read', async () =>
      (await program.messagesOf(instance)).some((message) => message.id === id && message.status === 'read'),
    );
    const past = await until('its events are there', async () => {
      const events = await program.eventsOf(id);
      return events.length === 3 && events;
    });
    expect(past.map(({ type }) => type).toSorted()).toEqual([
      'message.delivered',
      'message.read',
      'message.sent',
    ]);
    await onThePhone(instance, 'messages', { from: '15550123', text: 'It is me' });
    const inbound = await until('the reply has arrived', async () =>
      (await program.messagesOf(instance)).find(({ direction }) => direction === 'inbound'),
    );
    await onThePhone(instance, 'reactions', { message: inbound.id, from: '15550123', emoji: '👍' });
    await until('all webhooks have arrived', () => own().length >= 3);

    const events: string[] = [];
    for (const { headers, body } of own()) {
      const result = await verify({ secret, headers, body });
      if (!result.ok) throw new Error(result.message);
      // As passed on by a proxy that removes X- headers.
      const standard = Object.entries(headers).filter(([header]) => header.startsWith('webhook-'));
      const alone = { secret, headers: Object.fromEntries(standard), body };
      expect(await verify(alone)).toEqual(result);
      expect(new Webhook(secret).verify(body, headerTexts(headers))).toEqual(result.event);
      events.push(program.describe(result.event));
    }
    expect(events.toSorted()).toEqual([
      '15550123 reacted with 👍',
      '15550123 wrote It is me',
      'message.read',
    ]);
  });
});

function programOf(name: string): string {
  const program = new RegExp(`<!-- program: ${name} -->\\n+\`\`\`typescript\\n(.*?)\`\`\``, 's').exec(
    page,
  )?.[1];
  return must(program);
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }; // the error of execFile
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

async function load(directory: string): Promise<Program> {
  const outfile = join(directory, 'program.mjs');
  await build({
    entryPoints: [join(directory, 'program.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  return import(/* @vite-ignore */ pathToFileURL(outfile).href) as Promise<Program>; // the exports of the page's program
}

async function linked(program: Program): Promise<string> {
  const instance = await program.createInstance('Desk');
  const isNow = (status: string) => until(status, async () => (await program.statusOf(instance)) === status);
  await isNow('qr_required');
  await onThePhone(instance, 'scan', {});
  await isNow('connected');
  return instance;
}

async function onThePhone(instance: string, action: string, body: object): Promise<void> {
  const response = await fetch(`${server?.url}/sandbox/instances/${instance}/${action}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(202);
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Records its requests, and closes after the file's tests. */
async function startReceiver(
  subscribe: (url: string) => Promise<string>,
): Promise<{ readonly secret: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const receiver = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const { port } = receiver.address() as AddressInfo; // the server uses TCP
  return { secret: await subscribe(`http://127.0.0.1:${port}/`), received };
}

function headerTexts(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
