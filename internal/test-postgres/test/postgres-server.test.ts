import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startPostgres } from '@trunkline/test-postgres';
import { clusterFiles } from '../src/cluster-files.ts';
import { DESK_PORT, openDesk } from '../src/desk.ts';
import { makeSharedDirectory } from '@trunkline/test-postgres/shared-directory';
import { eventually } from '@trunkline/test-support';
import { freePort } from '@trunkline/test-support/free-port';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startProgram } from './support/start-program.ts';

vi.mock(import('@trunkline/test-support/free-port'), { spy: true });
vi.mock(import('node:os'), { spy: true });

const isRoot = process.getuid?.() === 0;

/** Makes a directory for temporary files, with nothing else in it. */
function ownTmpdir(mode: number): string {
  const path = mkdtempSync(join(tmpdir(), 'trunkline-'));
  chmodSync(path, mode);
  vi.stubEnv('TMPDIR', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  return path;
}

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: statement, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

it.runIf(isLongForm && process.platform === 'linux')(
  'the Postgres of the tests starts for a user who is a number without an account',
  async () => {
    vi.stubEnv(DESK_PORT, undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.mocked(userInfo).mockImplementation(() => {
      throw new Error('ENOENT');
    });
    onTestFinished(() => void vi.mocked(userInfo).mockReset());
    const server = await startPostgres();
    expect(await ask(server.url, 'SELECT 1')).toEqual([[1]]);
    await server.stop();
  },
);

it('the Postgres of the tests serves queries, comes back from a crash with all commits, and leaves no files when it stops', async () => {
  const server = await startPostgres();
  expect(await ask(server.url, 'CREATE TABLE kept AS SELECT 1')).toEqual([]);
  const before = server.pid();
  await server.crash();
  expect(server.pid()).not.toBe(before);
  expect(await ask(server.url, 'SELECT * FROM kept')).toEqual([[1]]);
  const [[directory]] = (await ask(server.url, 'SHOW data_directory')) as [[string]]; // a row with a column
  expect(existsSync(directory)).toBe(true);
  await server.stop();
  expect(server.pid()).toBeUndefined();
  expect(existsSync(join(directory, '..'))).toBe(false);
});

it.runIf(isLongForm)(
  'the Postgres of the tests begins with files that are made once for all servers of a run',
  async () => {
    const template = vi.fn(async () => clusterFiles(await makeSharedDirectory('trunkline-')));
    const desk = await openDesk({
      template,
      server: () => Promise.reject(new Error('This test needs no server.')),
    });
    onTestFinished(() => desk.close());
    vi.stubEnv(DESK_PORT, String(desk.port));
    onTestFinished(() => void vi.unstubAllEnvs());
    const servers = await Promise.all([startPostgres(), startPostgres()]);
    for (const server of servers) onTestFinished(() => server.stop());
    expect(template).toHaveBeenCalledOnce();
    const [one, other] = await Promise.all(
      servers.map(({ url }) => ask(url, 'SELECT system_identifier::text FROM pg_control_system()')),
    );
    expect(one).toEqual(other);
  },
);

it('the Postgres of the tests ends, and leaves no files, when the process that started it is killed', async () => {
  const TMPDIR = ownTmpdir(0o711);
  const program = await startProgram('start-postgres', { TMPDIR });
  const { port } = program.said as { port: number }; // safe: start-postgres prints this
  expect(readdirSync(TMPDIR)).toHaveLength(1);
  await program.kill();
  await eventually(async () => expect(await isListening(port)).toBe(false));
  await eventually(() => expect(readdirSync(TMPDIR)).toEqual([]));
});

it.runIf(isLongForm)(
  'the Postgres of the tests starts again in the directory of a server whose process was killed, with all commits',
  async () => {
    const directory = await makeSharedDirectory('trunkline-');
    const program = await startProgram('start-postgres', { POSTGRES_DIRECTORY: directory });
    const { port } = program.said as { port: number }; // safe: start-postgres prints this
    await ask(`postgres://postgres@127.0.0.1:${port}`, 'CREATE TABLE kept AS SELECT 1');
    await program.kill();
    const server = await startPostgres({ directory });
    onTestFinished(() => server.stop());
    expect(await ask(server.url, 'SELECT * FROM kept')).toEqual([[1]]);
  },
);

it.runIf(isLongForm)(
  'the Postgres of the tests starts outside of a run, also in a directory that a server was killed in while it was made',
  async () => {
    vi.stubEnv(DESK_PORT, undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const directory = await makeSharedDirectory('trunkline-');
    mkdirSync(join(directory, 'data.new'));
    writeFileSync(join(directory, 'data.new', 'PG_VERSION'), '18\n');
    const server = await startPostgres({ directory });
    onTestFinished(() => server.stop());
    expect(await ask(server.url, 'SELECT 1')).toEqual([[1]]);
  },
);

it('the Postgres of the tests reports why it did not start, and leaves no files', async () => {
  const TMPDIR = ownTmpdir(0o711);
  await expect(startPostgres({ settings: ['no_such_setting=1'] })).rejects.toThrow(
    /^Postgres did not start:\n[^]*no_such_setting/,
  );
  expect(readdirSync(TMPDIR)).toEqual([]);
});

it.runIf(isLongForm)(
  'the Postgres of the tests takes another port if the first one is taken, and fails if the port is given',
  async () => {
    const first = await startPostgres();
    onTestFinished(() => first.stop());
    vi.mocked(freePort).mockResolvedValueOnce(first.port);
    const second = await startPostgres();
    onTestFinished(() => second.stop());
    expect(await ask(second.url, 'SELECT 1')).toEqual([[1]]);
    expect(second.port).not.toBe(first.port);
    await expect(startPostgres({ port: first.port })).rejects.toThrow('Address already in use');
  },
);

it.runIf(isRoot)(
  'the Postgres of the tests runs for root as another user, from files within its reach, even with a closed TMPDIR',
  async () => {
    const TMPDIR = ownTmpdir(0o700);
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    expect(statSync(`/proc/${server.pid()}`).uid).toBe(65_534);
    expect(readdirSync(TMPDIR)).toEqual([]);
  },
);
