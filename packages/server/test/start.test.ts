import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { postgresStorage } from '@trunkline/storage-postgres';
import { newDatabase } from '@trunkline/test-postgres';
import { eventually, until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { countingProxy } from './support/counting-proxy.ts';
import { runCommand } from './support/command-process.ts';
import { runServer, startServer } from './support/server-process.ts';
import { snapshot } from './support/snapshot.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

describe('The first start', () => {
  it('prints its address and an API key with every scope, and later starts print no other', async () => {
    const DATA_DIR = join(temporaryDirectory(), 'data');
    const first = await startServer({ env: { DATA_DIR }, isAtTerminal: true });
    const key = first.shownKey() ?? '';
    expect(first.stdout()).toContain(`Everything is kept in the new directory ${DATA_DIR}`);
    expect(key).toMatch(/^trk_[0-9A-Za-z]{40}$/);
    const { status, body } = await testClient(first.url, key).request('GET', '/api/v1/api-key');
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { workspace: { name: 'Default workspace' }, scopes: { length: 6 } } });
    expect(await first.stop()).toBe(0);
    expect(first.stderr()).toBe('');

    const second = await startServer({ env: { DATA_DIR }, isAtTerminal: true });
    expect(second.stdout()).not.toContain('trk_');
    expect((await testClient(second.url, key).request('GET', '/api/v1/instances')).status).toBe(200);
    await second.stop();
  });

  it('prints no secret if stdout is not a terminal, and says which commands do', async () => {
    const cwd = temporaryDirectory();
    const server = await startServer({ env: {}, cwd });
    const printed = server.stdout() + server.stderr();
    expect(printed).not.toMatch(/trk_|link_|#token/);
    expect(printed).toContain(
      `The dashboard is at ${server.url}/dashboard: "trunkline dashboard" prints a link that signs in\n`,
    );
    expect(printed).toContain('API key: "trunkline keys create" makes one\n');
    const { stdout } = await runCommand(['keys', 'create', '--json'], { cwd });
    const { data } = JSON.parse(stdout) as { data: { token: string } }; // the JSON of docs/command-line.md
    const { status, body } = await testClient(server.url, data.token).request('GET', '/api/v1/api-key');
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { workspace: { name: 'Default workspace' }, scopes: { length: 6 } } });
    await server.stop();
  });

  it('logs what it runs with and why it ends, in the JSON of every other line', async () => {
    const cwd = temporaryDirectory();
    const server = await startServer({ env: { LOG_LEVEL: 'info', ROLES: 'api,gateway' }, cwd });
    await until('its start is logged', () => server.stderr().includes('the server is ready'));
    expect(await server.stop()).toBe(0);
    const lines = server
      .stderr()
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 30,
        msg: 'the server is ready',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        node: process.versions.node,
        url: server.url,
        storage: 'sqlite',
        networks: ['sandbox'],
        roles: ['api', 'gateway'],
      }),
    );
    expect(lines.slice(-3)).toMatchObject([
      { signal: 'SIGTERM', msg: 'a signal ends the server' },
      { msg: 'the server stops, and finishes what is in flight' },
      { msg: 'the server has stopped' },
    ]);
  });

  it.runIf(isLongForm)('hides its files from other users of the machine', async () => {
    const DATA_DIR = join(temporaryDirectory(), 'data');
    const server = await startServer({ env: { DATA_DIR } });
    expect(statSync(DATA_DIR).mode & 0o777).toBe(0o700);
    expect(statSync(join(DATA_DIR, 'secret.key')).mode & 0o777).toBe(0o600);
    await server.stop();
  });

  it.runIf(isLongForm)(
    'prints no control character of a path, neither at the start nor in an error',
    async () => {
      const name = '\u001b]0;owned\u0007\u009b31m\u202e\u061c\u2028data';
      const directory = join(temporaryDirectory(), name);
      const first = await startServer({ env: { DATA_DIR: directory } });
      await first.stop();
      writeFileSync(join(directory, 'secret.key'), 'damaged');
      const second = await runServer({ env: { DATA_DIR: directory } });
      const shown = '\\u001b]0;owned\\u0007\\u009b31m\\u202e\\u061c\\u2028data';
      for (const printed of [first.stdout(), second.stderr]) {
        expect(printed).toContain(shown);
        // oxlint-disable-next-line no-control-regex -- these are its subject
        expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u2028\u202e]/);
      }
    },
  );

  it.runIf(isLongForm)('creates its directory in the current directory', async () => {
    const cwd = temporaryDirectory();
    const server = await startServer({ env: {}, cwd });
    await server.stop();
    expect(existsSync(join(cwd, 'data', 'trunkline.db'))).toBe(true);
  });

  it('leaves nothing behind if the port is in use', async () => {
    const cwd = temporaryDirectory();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo; // the server listens on TCP
    const { code, stdout, complaints } = await runServer({ env: { PORT: String(port) }, cwd });
    other.close();
    expect({ code, stdout, complaints: complaints() }).toEqual({
      code: 1,
      stdout: '',
      complaints: [
        `PORT ${port} is in use on 127.0.0.1: stop the program that listens there, or set another port.`,
      ],
    });
    expect(snapshot(cwd)).toEqual({});
  });

  it.runIf(isLongForm)('can happen on two servers concurrently, each with its own data', async () => {
    const start = () =>
      startServer({ env: { DATA_DIR: join(temporaryDirectory(), 'data') }, isAtTerminal: true });
    const servers = await Promise.all([start(), start()]);
    const [one, two] = servers.map((server) => testClient(server.url, server.shownKey()));
    const instance = await one?.createInstance();
    await one?.connect(instance?.id ?? '');
    expect((await two?.request('GET', '/api/v1/instances'))?.body).toEqual({ data: [] });
    expect((await two?.request('GET', `/api/v1/instances/${instance?.id}`))?.status).toBe(404);
    expect(
      (await testClient(servers[1].url, servers[0].shownKey()).request('GET', '/api/v1/api-key')).status,
    ).toBe(401);
    expect(await Promise.all(servers.map((server) => server.stop()))).toEqual([0, 0]);
  });

  const onPostgres = async (): Promise<object> => ({ DATABASE_URL: (await newDatabase()).url });
  it.runIf(isLongForm).each([
    ['SQLite', async () => ({})],
    ['PostgreSQL', onPostgres],
  ])('may happen on several servers concurrently on the same data, on %s', async (_, database) => {
    const env = { DATA_DIR: join(temporaryDirectory(), 'data'), API_KEY, ...(await database()) };
    const servers = await Promise.all([1, 2, 3].map(() => startServer({ env })));
    const keys = await Promise.all(
      servers.map((server) => testClient(server.url).request('GET', '/api/v1/api-key')),
    );
    expect(keys.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(keys.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const withoutSandbox = (): number =>
      servers.filter((server) => server.stdout().includes('this one does not connect it')).length;
    await eventually(() => expect(withoutSandbox()).toBe(2));
    for (const server of servers) await server.stop();
  });
});

describe('A start on PostgreSQL', () => {
  it.runIf(isLongForm)('may end before it has made a workspace, and the next one continues', async () => {
    const { url } = await newDatabase();
    const storage = postgresStorage({ connectionString: url });
    await storage.open({ newId: () => 'unused', logger: silentLogger });
    await storage.close();
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('ALTER TABLE trunkline.workspaces ADD CONSTRAINT none CHECK (false)');
    const env = { DATA_DIR: join(temporaryDirectory(), 'data'), DATABASE_URL: url, API_KEY };
    expect((await runServer({ env })).code).toBe(1);
    await client.query('ALTER TABLE trunkline.workspaces DROP CONSTRAINT none');
    await client.end();
    const server = await startServer({ env });
    expect(await server.stop()).toBe(0);
  });

  it.runIf(isLongForm)('keeps every connection that it opens, first and later', async () => {
    const { url } = await newDatabase();
    const DATA_DIR = join(temporaryDirectory(), 'data');
    for (const start of ['the first', 'a later one']) {
      const proxy = await countingProxy(url);
      const server = await startServer({ env: { DATA_DIR, DATABASE_URL: proxy.url } });
      expect(proxy.closed(), start).toBe(0);
      expect(await server.stop()).toBe(0);
      // Proves that the proxy counts connections. It may notice a closed connection after the process has ended.
      await until('the connections are closed', () => proxy.closed() > 0);
    }
  });

  it.runIf(isLongForm).each([
    ['session', true],
    ['transaction', false],
  ])('leaves something with its sessions if the pool mode is %s: %s', async (DATABASE_POOL_MODE, isLeft) => {
    const proxy = await countingProxy((await newDatabase()).url);
    const DATA_DIR = join(temporaryDirectory(), 'data');
    const server = await startServer({
      env: { DATA_DIR, DATABASE_URL: proxy.url, DATABASE_POOL_MODE },
      isAtTerminal: true,
    });
    const { request } = testClient(server.url, server.shownKey() ?? '');
    expect((await request('POST', '/api/v1/instances', {})).status).toBe(201);
    expect(await server.stop()).toBe(0);
    const sent = proxy.sent();
    expect(sent).toContain('INSERT INTO "trunkline".instances');
    expect(sent.includes('LISTEN')).toBe(isLeft);
    expect(/P.{4}trunkline_[\da-f]{24}\0/s.test(sent)).toBe(isLeft);
  });
});
