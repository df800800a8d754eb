import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { startProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';

const EXAMPLE = fileURLToPath(new URL('..', import.meta.url));
const ROOT = join(EXAMPLE, '../..');
const FILES = ['lib/messaging.ts', 'app/api/v1/[...path]/route.ts', 'instrumentation.ts'];
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  SECRET_KEY: 'of the tests, with thirty-two characters',
  NEXT_TELEMETRY_DISABLED: '1',
  NEXT_MANUAL_SIG_HANDLE: '1',
};
const STARTED = /messaging has started (trk_\w+)/;

it('docs/embed/nextjs.md shows the files of the example', () => {
  const page = readFileSync(join(ROOT, 'docs/embed/nextjs.md'), 'utf8');
  const blocks = page.matchAll(/^`([^`]+)`:\n\n```tsx?\n(.*?)^```$/gms);
  const shown = Array.from(blocks, ([, name = '', code = '']) => [name, code]);
  expect(shown).toEqual(FILES.map((name) => [name, readFileSync(join(EXAMPLE, name), 'utf8')]));
});

it('importing the service opens nothing, a hot reload starts no other, and SIGTERM ends it in good order', async () => {
  const folder = await newFolder();
  onTestFinished(() => remove(folder));
  const file = new URL('../lib/messaging.ts', import.meta.url).href;
  const program = startProgram(process.execPath, {
    args: [
      '--conditions=source',
      '--input-type=module',
      '--eval',
      `import { readdirSync } from 'node:fs';
       const [{ messaging }, reloaded] = [await import('${file}'), await import('${file}?reloaded')];
       console.log('files', readdirSync('.').length);
       const { trunkline } = await messaging();
       console.log('same', (await reloaded.messaging()).trunkline === trunkline);`,
    ],
    cwd: folder,
    env,
  });
  await program.printed(/same true/);
  expect(program.stdout()).toMatch(/^files 0\nmessaging has started trk_\w+\nsame true\n$/);
  expect([await program.stop(), program.stderr()]).toEqual([0, '']);
});

// With Next.js itself, which takes 340 MB and four minutes: EMBED_NEXT=1. It packs the built packages, and installs them
// beside Next.js in an empty folder, as a user does.
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
    for (const name of ['receiver', 'core', 'storage-kit', 'http', 'storage-sqlite']) {
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

    const { program, token, origin } = await serve(next('start', '--port', '0', '--hostname', '127.0.0.1'));
    await sendMessage(origin, token);
    expect(program.output().match(new RegExp(STARTED, 'g'))).toHaveLength(1);
    expect(await databases()).toEqual(['trunkline.db', 'trunkline.db-process-1']);
    expect(await program.stop()).toBe(0);
  });

  it('`next dev` reloads a route and the service’s own file, and still has one service', async () => {
    const { program, token, origin } = await serve(next('dev', '--port', '0', '--hostname', '127.0.0.1'));
    await sendMessage(origin, token);
    const route = join(app, 'app/again/route.ts');
    await mkdir(dirname(route));
    for (const word of ['first', 'second', 'third']) {
      const lib = join(app, 'lib/messaging.ts');
      await writeFile(lib, `${await readFile(lib, 'utf8')}// ${word}\n`);
      await writeFile(
        route,
        `import { messaging } from '../../lib/messaging';
         export const GET = async () =>
           Response.json(['${word}', (await (await messaging()).trunkline.admin.workspaces.list()).length]);`,
      );
      await eventually(async () =>
        expect(await (await fetch(`${origin}/again`)).text()).toBe(JSON.stringify([word, 1])),
      );
    }
    expect(program.output().match(new RegExp(STARTED, 'g'))).toHaveLength(1);
    expect(await databases()).toEqual(['trunkline.db', 'trunkline.db-process-1']);
    await sendMessage(origin, token);
    await program.stop();
    await eventually(() => expect(fetch(origin)).rejects.toThrow('fetch failed'));
  });
});

async function serve(program: Program): Promise<{ program: Program; token: string; origin: string }> {
  const [, token = ''] = await program.printed(STARTED);
  const [, origin = ''] = await program.printed(/Local:\s+(http:\S+)/);
  return { program, token, origin };
}

/** By the API, in a number of its own: until the message was read. */
async function sendMessage(origin: string, token: string): Promise<void> {
  const api = async (path: string, body?: object): Promise<{ id: string; status: string }> => {
    const response = await fetch(`${origin}/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const content = (await response.json()) as { data: { id: string; status: string } };
    expect(response.ok, JSON.stringify(content)).toBe(true);
    return content.data;
  };
  const { id: instance } = await api('instances', { name: 'Orders' });
  await api(`instances/${instance}/connect`, {});
  await eventually(async () => expect((await api(`instances/${instance}`)).status).toBe('connected'));
  const { id } = await api('messages', { instance, to: '+1 555 0100', type: 'text', text: 'Hello' });
  await eventually(async () => expect((await api(`messages/${id}`)).status).toBe('read'));
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const program = startProgram(command, { args, cwd, env });
  const end = await program.ended;
  if (end !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${end}:\n${program.output()}`);
}

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'trunkline-next-'));
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });
