import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';

const FILES = ['app.module.ts', 'main.ts', 'orders.controller.ts'];

/** Lines that `nest new` has already written, and lines that the first message does not need. */
const OF_NEST =
  /@nestjs\/(common|core)|\.\/|@Module|imports: \[|^ {2}\],|controllers|class AppModule|bootstrap|NestFactory|app\.listen|console\.log|enableShutdownHooks|^}/;

it('docs/embed/nestjs.md shows the files of the example', async () => {
  const page = await readFile(new URL('../../../docs/embed/nestjs.md', import.meta.url), 'utf8');
  const shown = Array.from(
    page.matchAll(/^`src\/([^`]+)`[^\n]*\n\n```tsx\n(.*?)^```$/gms),
    ([, name, code]) => [name, code],
  );
  expect(shown).toEqual(await Promise.all(FILES.map(async (name) => [name, await source(name)])));
});

it('NestJS: at most 15 lines up to the first message are the user’s own', async () => {
  const lines = [await source('app.module.ts'), await source('main.ts')].join('').split('\n');
  const own = lines.filter((line) => line !== '' && !OF_NEST.test(line));
  expect(own.length).toBeLessThanOrEqual(15);
});

it('NestJS: an app serves the API, sends in its own controller, and stops cleanly', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'trunkline-nest-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const app = await start(cwd);
  const { id: instance } = await app.call('/api/v1/instances', { name: 'Orders' });
  await app.call(`/api/v1/instances/${instance}/connect`, {});
  await eventually(async () =>
    expect((await app.call(`/api/v1/instances/${instance}`)).status).toBe('connected'),
  );
  const { id } = await app.call('/orders', { instance, phone: '+1 555 0100' });
  await eventually(async () => expect((await app.call(`/api/v1/messages/${id}`)).status).toBe('read'));
  // NestJS closes the app, and then ends the process by the same signal.
  expect([await app.program.stop(), app.program.stderr()]).toEqual(['SIGTERM', '']);
});

interface Resource {
  readonly id: string;
  readonly status: string;
}

interface App {
  readonly program: Program;
  call(path: string, body?: object): Promise<Resource>;
}

async function start(cwd: string): Promise<App> {
  const program = startNodeProgram(new URL('../src/main.ts', import.meta.url), {
    nodeArgs: ['--import', new URL('nest-start.ts', import.meta.url).href],
    cwd,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      SECRET_KEY: 'of the tests, with thirty-two characters',
      NO_COLOR: '1',
    },
  });
  onTestFinished(() => program.kill());
  const [, token = '', port = ''] = await program.printed(/(trk_\w+)[^]*port: (\d+)/);
  const call = async (path: string, body?: object): Promise<Resource> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const content: unknown = await response.json();
    expect(response.ok, JSON.stringify(content)).toBe(true);
    // The API wraps its results; the app's own route does not.
    return (path.startsWith('/api/') ? (content as { data: Resource }).data : content) as Resource;
  };
  return { program, call };
}

const source = (name: string): Promise<string> =>
  readFile(new URL(`../src/${name}`, import.meta.url), 'utf8');
