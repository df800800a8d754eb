import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { startProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';

const EXAMPLE = fileURLToPath(new URL('..', import.meta.url));
const ROOT = join(EXAMPLE, '../..');
const FILES = ['trunkline.ts', 'app/api/v1/[...path]/route.ts', 'instrumentation.ts', 'app/orders/route.ts'];
/** The files that are needed to send a message. The user writes all of their lines. */
const NEEDED = FILES.slice(0, 3);
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  SECRET_KEY: 'of the tests, with thirty-two characters',
  NEXT_TELEMETRY_DISABLED: '1',
  NEXT_MANUAL_SIG_HANDLE: '1',
};
const STARTED = /API key: (trk_\w+)/;

it('docs/embed/nextjs.md shows the files of the example', () => {
  const page = readFileSync(join(ROOT, 'docs/embed/nextjs.md'), 'utf8');
  const blocks = page.matchAll(/^`([^`]+)`[^\n]*:?\n\n```tsx?\n(.*?)^```$/gms);
  const shown = Array.from(blocks, ([, name = '', code = '']) => [name, code]);
  expect(shown).toEqual(FILES.map((name) => [name, readFileSync(join(EXAMPLE, name), 'utf8')]));
});

it('Next.js: the user’s own lines are those of the table, at most 15', () => {
  const table = readFileSync(join(ROOT, 'docs/embed/README.md'), 'utf8');
  const lines = NEEDED.flatMap((name) => readFileSync(join(EXAMPLE, name), 'utf8').split('\n'));
  const own = lines.filter((line) => line !== '');
  expect(own.length).toBe(Number(/\(nextjs\.md\).*?\| (\d+) \|/.exec(table)?.[1]));
  expect(own.length).toBeLessThanOrEqual(15);
});

it('importing the service opens nothing, a hot reload starts no other, and SIGTERM ends it cleanly', async () => {
  const folder = await newFolder();
  onTestFinished(() => remove(folder));
  const file = new URL('../trunkline.ts', import.meta.url).href;
  const program = startProgram(process.execPath, {
    args: [
      '--conditions=source',
      '--input-type=module',
      '--eval',
      `import { readdirSync } from 'node:fs';
       const [first, reloaded] = [await import('${file}'), await import('${file}?reloaded')];
       console.log('files', readdirSync('.').length);
       await first.register();
       console.log('same', (await reloaded.trunkline()) === (await first.trunkline()));`,
    ],
    cwd: folder,
    env: { ...env, NODE_ENV: 'development' },
  });
  await program.printed(/same true/);
  expect(program.stdout()).toMatch(/^files 0\nAPI key: trk_\w+\nsame true\n$/);
  expect([await program.stop(), program.stderr()]).toEqual([0, '']);
});

// With EMBED_NEXT=1, runs with Next.js itself, which takes 340 MB, and four minutes on an idle machine. Packs the built
// packages, and installs them with Next.js in an empty folder, like a user.
describe.runIf(process.env['EMBED_NEXT'] === '1')('in Next.js', () => {
  let app = '';
  const next = (...args: readonly string[]): Program => {
    const program = startProgram(join(app, 'node_modules/.bin/next'), { args, cwd: app, env, isGroup: true });
    onTestFinished(() => program.kill());
    return program;
  };
  const databases = async (): Promise<readonly string[]> =>
    (await readdir(app)).filter((name) => /^trunkline\.db(-process-\d+)?$/.test(name));

  beforeAll(async () => {
    app = await newFolder();
    await writeFile(join(app, 'package.json'), '{"private":true}');
    const tarballs: string[] = [];
    for (const name of ['receiver', 'core', 'storage-kit', 'http', 'storage-sqlite', 'nextjs']) {
      const cwd = join(ROOT, 'packages', name);
      await run('pnpm', ['run', 'build'], cwd);
      const tarball = join(app, `${name}.tgz`);
      await run('pnpm', ['pack', '--out', tarball], cwd);
      tarballs.push(tarball);
    }
    const others = [
      'next@16',
      'react@19',
      'react-dom@19',
      'typescript@5',
      '@types/node@24',
      '@types/react@19',
    ];
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...others, ...tarballs], app);
    for (const file of FILES) await cp(join(EXAMPLE, file), join(app, file), { recursive: true });
    // The part of create-next-app's tsconfig.json that the example needs.
    await writeFile(
      join(app, 'tsconfig.json'),
      '{"compilerOptions":{"strict":true,"paths":{"@/*":["./*"]}}}',
    );
    const service = join(app, 'trunkline.ts');
    // Allows webhooks to a receiver on this machine.
    await writeFile(
      service,
      (await readFile(service, 'utf8')).replace('  secretKey', "  urlPolicy: 'local',\n$&"),
    );
    await mkdir(join(app, 'app/keys'));
    await writeFile(
      join(app, 'app/keys/route.ts'),
      `import { SCOPES } from '@trunkline/core';
       import { trunkline } from '@/trunkline';
       export async function POST() {
         const { workspaces, apiKeys } = (await trunkline()).admin;
         const { id: workspaceId } = await workspaces.create({ name: 'Acme' });
         return new Response((await apiKeys.create({ workspaceId, name: 'Tests', scopes: SCOPES })).token);
       }`,
    );
    await writeFile(
      join(app, 'app/layout.tsx'),
      `import type { ReactNode } from 'react';
       export default function Layout({ children }: { children: ReactNode }) {
         return <html lang="en"><body>{children}</body></html>;
       }`,
    );
    await writeFile(join(app, 'app/page.tsx'), 'export default function Page() { return <h1>Orders</h1>; }');
  }, 15 * HANG_MS);
  afterAll(() => remove(app));

  it('`next build` opens no database, and `next start` has one service, which ends with SIGTERM', async () => {
    const build = next('build');
    expect([await build.ended, build.output()]).toEqual([0, expect.stringContaining('/api/v1/[...path]')]);
    expect(build.output()).not.toMatch(STARTED);
    expect(await databases()).toEqual([]);

    const program = next('start', '--port', '0', '--hostname', '127.0.0.1');
    const origin = await originOf(program);
    // The service runs although no request has been made yet.
    await eventually(async () =>
      expect(await databases()).toEqual(['trunkline.db', 'trunkline.db-process-1']),
    );
    const token = await (await fetch(`${origin}/keys`, { method: 'POST' })).text();
    await sendMessage({ origin, token });
    expect(await databases()).toEqual(['trunkline.db', 'trunkline.db-process-1']);
    expect(program.output()).not.toContain('NEXT_MANUAL_SIG_HANDLE');

    const { respond, webhook } = await deliver({ origin, token });
    const ended = program.stop();
    await eventually(async () =>
      expect((await fetch(`${origin}/api/v1/instances`, { headers: authorization(token) })).status).toBe(503),
    );
    respond();
    expect(await ended).toBe(0);
    expect(await deliveriesOf(webhook, join(app, 'trunkline.db'))).toMatchObject([{ status: 'success' }]);
  });

  it('`next dev` reloads a route and the service’s own file, and still has one service', async () => {
    // Only the first start on a database prints the key, so remove the database of the built app.
    for (const name of await readdir(app))
      if (name.startsWith('trunkline.db')) await rm(join(app, name), { recursive: true });
    const program = next('dev', '--port', '0', '--hostname', '127.0.0.1');
    const [, token = ''] = await program.printed(STARTED);
    const origin = await originOf(program);
    await sendMessage({ origin, token });
    const route = join(app, 'app/again/route.ts');
    await mkdir(dirname(route));
    for (const word of ['first', 'second', 'third']) {
      const service = join(app, 'trunkline.ts');
      await writeFile(service, `${await readFile(service, 'utf8')}// ${word}\n`);
      await writeFile(
        route,
        `import { trunkline } from '@/trunkline';
         export const GET = async () =>
           Response.json(['${word}', (await (await trunkline()).admin.processes()).length]);`,
      );
      await eventually(async () =>
        expect(await (await fetch(`${origin}/again`)).text()).toBe(JSON.stringify([word, 1])),
      );
    }
    expect(program.output().match(new RegExp(STARTED, 'g'))).toHaveLength(1);
    expect(await databases()).toEqual(['trunkline.db', 'trunkline.db-process-1']);
    await sendMessage({ origin, token });
    await program.stop();
    await eventually(() => expect(fetch(origin)).rejects.toThrow('fetch failed'));
  });
});

interface Api {
  readonly origin: string;
  readonly token: string;
}

interface Resource {
  readonly id: string;
  readonly status: string;
}

async function originOf(program: Program): Promise<string> {
  const [, origin = ''] = await program.printed(/Local:\s+(http:\S+)/);
  return origin;
}

const authorization = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

async function call({ origin, token }: Api, path: string, body?: object): Promise<Resource> {
  const response = await fetch(origin + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...authorization(token), 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const content: unknown = await response.json();
  expect(response.ok, JSON.stringify(content)).toBe(true);
  // The API wraps its results; the app's own route does not.
  return (path.startsWith('/api/') ? (content as { data: Resource }).data : content) as Resource;
}

/** Sends messages through the API and the app's own route, from a new number, and waits until they are read. */
async function sendMessage(api: Api): Promise<void> {
  const { id: instance } = await call(api, '/api/v1/instances', { name: 'Orders' });
  await call(api, `/api/v1/instances/${instance}/connect`, {});
  await eventually(async () =>
    expect((await call(api, `/api/v1/instances/${instance}`)).status).toBe('connected'),
  );
  const message = { instance, to: '+1 555 0100', type: 'text', text: 'Hello' };
  const sent = [
    await call(api, '/api/v1/messages', message),
    await call(api, '/orders', { instance, phone: '+1 555 0100' }),
  ];
  for (const { id } of sent) {
    await eventually(async () => expect((await call(api, `/api/v1/messages/${id}`)).status).toBe('read'));
  }
}

/** Triggers a delivery to a receiver that responds only when asked. */
async function deliver(api: Api): Promise<{ respond: () => void; webhook: string }> {
  const receiver = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo; // the server uses TCP
  const url = `http://127.0.0.1:${port}/`;
  const { id } = await call(api, '/api/v1/webhooks', { url, events: ['message.received'] });
  const requested = once(receiver, 'request');
  await call(api, `/api/v1/webhooks/${id}/test`, {});
  const [, response] = await requested;
  return { respond: () => response.writeHead(204).end(), webhook: id };
}

/** The webhook's deliveries, in a database that no other process uses. */
async function deliveriesOf(webhook: string, path: string): Promise<readonly Resource[]> {
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage: sqliteStorage({ path }),
    gateways: [createSandbox().gateway],
    secretKey: env.SECRET_KEY,
  });
  onTestFinished(() => trunkline.stop());
  await trunkline.start();
  for (const { id } of await trunkline.admin.workspaces.list()) {
    const { webhooks } = trunkline.workspace(id);
    const isThere = (await webhooks.list()).data.some((one) => one.id === webhook);
    if (isThere) return (await webhooks.deliveries(webhook)).data;
  }
  return [];
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const program = startProgram(command, { args, cwd, env });
  const end = await program.ended;
  if (end !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${end}:\n${program.output()}`);
}

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'trunkline-next-'));
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
