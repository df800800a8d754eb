import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { generate } from 'selfsigned';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { newDatabase } from '@trunkline/test-postgres';
import { runCommand } from '../support/command-process.ts';
import type { CommandResult } from '../support/command-process.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Finding {
  readonly check: string;
  readonly result: string;
  readonly says: string;
  readonly remedy: string | null;
}

let used: Promise<string> | undefined;

async function usedFolder(): Promise<string> {
  const copy = temporaryDirectory();
  cpSync(await (used ??= useFolder()), copy, { recursive: true });
  return copy;
}

async function useFolder(): Promise<string> {
  const cwd = temporaryDirectory();
  const server = await startServer({ env: {}, cwd });
  await server.stop();
  return cwd;
}

async function findings(
  cwd: string,
  args: readonly string[] = ['--offline'],
  env: Readonly<Record<string, string>> = {},
): Promise<{
  readonly all: readonly Finding[];
  readonly faults: readonly Finding[];
  readonly result: CommandResult;
}> {
  const result = await runCommand(['doctor', '--port', '0', ...args, '--json'], { cwd, env });
  const { data: all } = JSON.parse(result.stdout) as { readonly data: readonly Finding[] }; // the command prints findings
  const faults = all.filter((one) => one.result === 'fault');
  expect(result.code).toBe(faults.length > 0 ? 1 : 0);
  for (const { remedy } of faults) expect(remedy).toMatch(/\.$/);
  return { all, faults, result };
}

describe('trunkline doctor', () => {
  it('finds nothing in the way before the first start and after it, and changes nothing', async () => {
    const cwd = temporaryDirectory();
    const { faults } = await findings(cwd);
    expect(faults).toEqual([]);
    const used = await usedFolder();
    const { all } = await findings(used);
    expect(all.map(({ check, result }) => `${check}: ${result}`)).toEqual([
      'node: ok',
      'settings: ok',
      'disk: ok',
      'database: ok',
      'key: ok',
      'port: ok',
      'dns: skipped',
      'tls: skipped',
      'clock: skipped',
    ]);
    const people = await runCommand(['doctor', '--offline', '--port', '0'], { cwd: used });
    expect(people.stdout).toMatch(/^ok +key +It fits the database\.$/m);
    expect(people.stdout).toMatch(/\nNothing is in the way of a server\.\n$/);
  });

  const broken: readonly (readonly [
    setUp: string,
    breaks: (cwd: string) => Readonly<Record<string, string>> | void,
    check: string,
    says: RegExp,
    remedy: RegExp,
  ])[] = [
    [
      'a setting is wrong',
      () => ({ RATE_LIMIT: 'many' }),
      'settings',
      /^RATE_LIMIT must be a whole number/,
      /Fix/,
    ],
    [
      'the configuration file has a name that is misspelt',
      (cwd) => writeFileSync(join(cwd, 'trunkline.toml'), 'prot = 1\n', { mode: 0o600 }),
      'settings',
      /no setting "prot". Did you mean "port"\?/,
      /Fix/,
    ],
    [
      'the data directory is a file',
      (cwd) => {
        writeFileSync(join(cwd, 'file'), '');
        return { DATA_DIR: 'file' };
      },
      'disk',
      /DATA_DIR is not a directory: file/,
      /another directory/,
    ],
    [
      'the data directory has no parent',
      () => ({ DATA_DIR: 'no/data' }),
      'disk',
      /there is no directory no/,
      /another directory/,
    ],
    [
      'the database is another file',
      (cwd) => writeFileSync(join(cwd, 'data/trunkline.db'), 'Once upon a time.'),
      'database',
      /damaged, or no SQLite file/,
      /trunkline restore/,
    ],
    [
      'the database is of another program',
      (cwd) => {
        const database = new DatabaseSync(join(cwd, 'cooking.db'));
        database.exec('CREATE TABLE recipes (name TEXT)');
        database.close();
        return { DATABASE_URL: 'sqlite:cooking.db' };
      },
      'database',
      /not one of Trunkline/,
      /another place/,
    ],
    [
      'the key is missing',
      (cwd) => rmSync(join(cwd, 'data/secret.key')),
      'key',
      /The secret key is missing/,
      /Put the file back/,
    ],
    [
      'the key is another one',
      () => ({ SECRET_KEY: 'another-key-of-more-than-32-characters' }),
      'key',
      /not the one that this database was set up with/,
      /Set SECRET_KEY/,
    ],
    [
      'the key can be read by others',
      (cwd) => chmodSync(join(cwd, 'data/secret.key'), 0o644),
      'key',
      /Other users of this machine can read/,
      /chmod 600/,
    ],
    [
      'the address is not of this machine',
      () => ({ HOST: '192.0.2.1' }),
      'port',
      /cannot listen on 192\.0\.2\.1/,
      /Set HOST/,
    ],
    [
      'PostgreSQL is not there',
      () => ({ DATABASE_URL: 'postgres://127.0.0.1:9/trunkline' }),
      'database',
      /^The PostgreSQL database cannot be used: /,
      /Check DATABASE_URL/,
    ],
  ];

  it.for(isLongForm ? broken : broken.slice(0, 3))(
    'names the fault and the remedy if %s',
    async ([, breaks, check, says, remedy]) => {
      const cwd = await usedFolder();
      const env = breaks(cwd) ?? {};
      const { faults, result } = await findings(cwd, ['--offline'], env);
      expect(faults.map((fault) => fault.check)).toContain(check);
      const fault = faults.find((one) => one.check === check);
      expect(fault?.says).toMatch(says);
      expect(fault?.remedy).toMatch(remedy);
      expect(JSON.parse(result.stderr)).toMatchObject({ error: { code: 'FAULTS_FOUND' } });
    },
  );

  it('refuses a database from before 0.1.0', async () => {
    const cwd = await usedFolder();
    const database = new DatabaseSync(join(cwd, 'data/trunkline.db'));
    database.exec('PRAGMA user_version = 34');
    database.close();
    const { all } = await findings(cwd);
    expect(all.find(({ check }) => check === 'database')).toMatchObject({
      result: 'fault',
      says: expect.stringContaining('it was made before Trunkline 0.1.0'),
    });
    expect(all.find(({ check }) => check === 'key')).toMatchObject({ result: 'skipped' });
  });

  it.runIf(isLongForm)('makes nothing in an empty PostgreSQL database', async () => {
    const { url } = await newDatabase();
    const cwd = temporaryDirectory();
    const { all, faults } = await findings(cwd, ['--offline'], { DATABASE_URL: url });
    expect(faults).toEqual([]);
    expect(all.find(({ check }) => check === 'database')).toMatchObject({
      result: 'ok',
      says: 'PostgreSQL responds, and has nothing of Trunkline yet.',
    });
    const client = new Client({ connectionString: url });
    await client.connect();
    const schemas =
      "SELECT FROM pg_namespace WHERE nspname NOT LIKE 'pg_%' AND nspname <> 'information_schema'";
    expect((await client.query(schemas)).rowCount).toBe(1); // only `public`
    await client.end();
  });

  it('names the fault if another program uses the port, or holds the database locked', async () => {
    const cwd = await usedFolder();
    const other = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo; // the server listens on TCP
    const lock = new DatabaseSync(join(cwd, 'data/trunkline.db'));
    lock.exec('BEGIN IMMEDIATE');
    const result = await runCommand(['doctor', '--offline', '--port', String(port)], { cwd });
    lock.close();
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(
      /^FAULT +port +Another program listens on 127\.0\.0\.1, port \d+\.\n +End that program, or set another PORT\.$/m,
    );
    expect(result.stdout).toMatch(
      /^FAULT +database +Another program has locked data\/trunkline\.db for 2 seconds\.\n +End the program/m,
    );
    expect(result.stderr).toMatch(/^trunkline: \d checks found faults: .*database.*port/);
  });

  it.runIf(isLongForm)(
    'names the fault of a certificate that is not trusted, of a name that is not found, and of a clock',
    async () => {
      const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
      });
      let date = new Date();
      const server = createTlsServer({ key, cert }, (_, response) =>
        response.writeHead(204, { Date: date.toUTCString() }).end(),
      ).listen(0, '127.0.0.1');
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo; // the server listens on TCP
      const cwd = temporaryDirectory();
      const reach = ['--reach', `https://localhost:${port}/`];
      const untrusted = await findings(cwd, reach);
      expect(untrusted.faults).toMatchObject([
        { check: 'tls', remedy: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
      ]);

      const trusted = { NODE_EXTRA_CA_CERTS: join(cwd, 'ca.pem') };
      writeFileSync(trusted.NODE_EXTRA_CA_CERTS, cert);
      expect((await findings(cwd, reach, trusted)).faults).toEqual([]);
      date = new Date(Date.now() + 3 * 24 * 60 * 60_000);
      expect((await findings(cwd, reach, trusted)).faults).toMatchObject([
        {
          check: 'clock',
          says: 'The clock is 3 days behind: receivers refuse webhooks that are signed with it.',
        },
      ]);
      const lost = await findings(cwd, ['--reach', 'https://no.such.host.invalid/']);
      expect(lost.faults).toMatchObject([
        { check: 'dns', says: expect.stringContaining('no.such.host.invalid is not found') },
      ]);
      for (const url of ['http://example.com', 'https://me:hush@example.com'])
        expect(await runCommand(['doctor', '--reach', url], { cwd })).toMatchObject({ code: 2 });
    },
  );

  it.runIf(isLongForm)('warns if others can change the contents of the data directory', async () => {
    const cwd = await usedFolder();
    chmodSync(join(cwd, 'data'), 0o777);
    const { all } = await findings(cwd);
    expect(all).toContainEqual({
      check: 'disk',
      result: 'warning',
      says: 'Other users of this machine can change what is in data.',
      remedy: 'Run "chmod go-w data".',
    });
    mkdirSync(join(cwd, 'unused'));
    expect(readFileSync(join(cwd, 'data/secret.key'), 'utf8')).not.toBe('');
  });
});
