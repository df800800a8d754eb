import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { postgresSchema } from '@trunkline/storage-postgres';
import { newDatabase } from '@trunkline/test-postgres';
import { isLongForm } from '@trunkline/test-support/long-form';
import { allSettings } from '../../src/settings/settings.ts';
import { runCommand, startCommand, startCommandHarness } from '../support/command-process.ts';
import { complaintsIn, startServer } from '../support/server-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { testClient } from '../support/test-client.ts';

const KEY_STATUS = '/api/v1/api-key';

describe('trunkline init', () => {
  it('writes every setting with its meaning, and a key, which a server then runs with', async () => {
    const cwd = temporaryDirectory();
    const { code, stdout, stderr } = await runCommand(['init', '--port', '0'], { cwd });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'settings    trunkline.toml\nsecret key  data/secret.key\n\nNext: trunkline serve\n',
    });
    expect(stderr).toBe('Keep a copy of the secret key elsewhere: without it, the database is useless.\n');
    const [config, key] = [join(cwd, 'trunkline.toml'), join(cwd, 'data', 'secret.key')];
    for (const path of [config, key]) expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(config, 'utf8');
    for (const { variable } of allSettings())
      expect(text).toMatch(new RegExp(`^(# )?${variable.toLowerCase()} = `, 'm'));
    expect(text).toMatch(/^port = 0$/m);

    const secret = readFileSync(key, 'utf8');
    expect(await runCommand(['migrate'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The database is up to date'),
    });
    const program = startCommand(['serve'], { cwd });
    await program.printed(/^Trunkline is at http:\/\/127\.0\.0\.1:\d+\/api\/v1$/m);
    await program.printed(/^API key: "trunkline keys create" makes one$/m);
    expect(await program.stop()).toBe(0);
    expect(readFileSync(key, 'utf8')).toBe(secret);
  });

  it.runIf(isLongForm)(
    'does not change existing files, and every line of its file can be uncommented',
    async () => {
      const cwd = temporaryDirectory();
      expect((await runCommand(['init', '--json'], { cwd })).stdout).toBe(
        '{"data":{"config":"trunkline.toml","data_dir":"data","secret_key":"data/secret.key"}}\n',
      );
      const path = join(cwd, 'trunkline.toml');
      const [before, key] = [
        readFileSync(path, 'utf8'),
        readFileSync(join(cwd, 'data', 'secret.key'), 'utf8'),
      ];
      expect(await runCommand(['init'], { cwd })).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'trunkline: trunkline.toml already exists, and was not changed: edit it, or name another file with --config.\n',
      });
      expect(readFileSync(path, 'utf8')).toBe(before);
      const other = await runCommand(['init', '--config', 'other.toml'], { cwd });
      expect(other.code).toBe(0);
      expect(readFileSync(join(cwd, 'data', 'secret.key'), 'utf8')).toBe(key);

      writeFileSync(path, before.replaceAll(/^# (?=\w+ = )/gm, '').replace('port = 8080', 'port = 0'));
      const program = startCommand(['serve'], { cwd });
      await program.printed(/^API key/m);
      expect(await program.stop()).toBe(0);
    },
  );

  it('writes nothing if a flag is wrong', async () => {
    const cwd = temporaryDirectory();
    const { code, stderr } = await runCommand(['init', '--port', 'http'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'trunkline: --port must be a whole number from 0 to 65535. It is "http".\n',
    });
    expect((await runCommand(['migrate', '--config', 'trunkline.toml'], { cwd })).stderr).toBe(
      'trunkline: There is no configuration file trunkline.toml: make one with "trunkline init", or name another one with --config.\n',
    );
  });
});

describe('trunkline serve', () => {
  it.runIf(isLongForm)(
    'takes a flag over the environment, and that over the file of its folder',
    async () => {
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, 'trunkline.toml'), 'port = 0\nhost = "198.51.100.1"\nlog_level = "loud"\n', {
        mode: 0o600,
      });
      const file = await runCommand(['serve'], { cwd });
      expect(complaintsIn(file.stderr)).toEqual([
        'log_level in trunkline.toml must be one of trace, debug, info, warn, error, fatal, silent. It is "loud".',
      ]);
      const environment = await runCommand(['serve'], { cwd, env: { LOG_LEVEL: 'warn' } });
      expect(environment.stderr).toContain('HOST is not an address of this machine: 198.51.100.1');
      const flag = await runCommand(['serve', '--host', '198.51.100.2'], {
        cwd,
        env: { LOG_LEVEL: 'warn', HOST: '198.51.100.3' },
      });
      expect(flag.stderr).toContain('HOST is not an address of this machine: 198.51.100.2');
    },
  );

  it('refuses secrets on the command line, where other users could read them', async () => {
    const cwd = temporaryDirectory();
    const flags = ['--api-key', '--secret-key', '--s3-secret-key', '--metrics-token', '--smtp-url'];
    // Each `serve` needs its own process.
    for (const flag of isLongForm ? flags : flags.slice(0, 1))
      expect(await runCommand(['serve', flag, 'hush-hush-hush-hush'], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`Unknown option '${flag}'`),
      });
    for (const url of ['postgres://me:hush@127.0.0.1/x', 'postgres://127.0.0.1/x?user=me&password=hush'])
      for (const command of isLongForm ? ['serve', 'init'] : ['init']) {
        const refused = await runCommand([command, '--database-url', url], { cwd });
        expect(refused, `${command} ${url}`).toMatchObject({ code: 2, stdout: '' });
        const complaint =
          '--database-url has a password in it, which other users of this machine could read: give it as DATABASE_URL, or in the configuration file.';
        if (command === 'serve') expect(complaintsIn(refused.stderr)).toEqual([complaint]);
        else expect(refused.stderr).toBe(`trunkline: ${complaint}\n`);
      }
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('a command on an empty PostgreSQL database', () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ['workspaces', 'list'],
    ['rotate-secret-key', '--yes'],
    ['move', '--to', 'sqlite:other.db', '--yes'],
  ];

  it.each(isLongForm ? COMMANDS : COMMANDS.slice(0, 1))(
    'says that there is nothing yet, and creates nothing: %s',
    async (...args) => {
      const { url } = await newDatabase();
      const env = { DATABASE_URL: url, SECRET_KEY: 'k'.repeat(40), SECRET_KEY_PREVIOUS: 'b'.repeat(40) };
      expect(await runCommand(args, { cwd: temporaryDirectory(), env })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There is nothing on this database yet: start the server once'),
      });
      expect(await postgresSchema({ connectionString: url }, { logger: silentLogger })).toMatchObject({
        version: 0,
      });
    },
  );
});

describe('Workspaces, keys and members', () => {
  it('are administered while a server runs, which sees the changes', async () => {
    const { cwd, server, run, data, json } = await startCommandHarness();
    const status = async (key: unknown): Promise<number> =>
      (await testClient(server.url, String(key)).request('GET', KEY_STATUS)).status;
    const acme = String((await data('workspaces', 'create', 'Acme', '--webhook-limit', '7'))['id']);
    expect(await data('workspaces', 'plan', acme)).toMatchObject({
      name: 'Acme',
      plan: { subscription: 'active', instance_limit: null, webhook_limit: 7 },
      suspended_at: null,
    });
    expect(
      await data('workspaces', 'plan', acme, '--subscription', 'trial', '--instance-limit', '2'),
    ).toMatchObject({
      plan: { subscription: 'trial', instance_limit: 2, webhook_limit: 7 },
    });
    expect(
      await data('workspaces', 'plan', acme, '--subscription', 'active', '--instance-limit', 'none'),
    ).toMatchObject({ plan: { subscription: 'active', instance_limit: null } });

    const member = await data(
      'members',
      'create',
      'ada@example.com',
      '--workspace',
      acme,
      '--verified',
      'yes',
    );
    expect(member).toMatchObject({
      email: 'ada@example.com',
      email_verified: true,
      administers_webhooks: false,
    });
    const id = String(member['id']);
    expect(
      await data(
        'members',
        'update',
        id,
        '--workspace',
        acme,
        '--administers-webhooks',
        'yes',
        '--email',
        'a@example.com',
      ),
    ).toMatchObject({ email: 'a@example.com', email_verified: true, administers_webhooks: true });

    const scopes = 'messages:read,instances:read';
    const key = await data(
      'keys',
      'create',
      '--workspace',
      acme,
      '--name',
      'ci',
      '--scopes',
      scopes,
      '--member',
      id,
    );
    expect(key).toMatchObject({ name: 'ci', scopes: ['instances:read', 'messages:read'], member_id: id });
    const other = await data('keys', 'create', '--workspace', acme, '--expires-in-days', '30');
    expect([await status(key['token']), await status(other['token'])]).toEqual([200, 200]);

    const made = (await run('workspaces', 'create', 'Bakery')).stdout;
    const next = /^Next: trunkline (.*) --name <name>$/m.exec(made)?.[1] ?? '';
    expect((await run(...next.split(' '), '--name', 'ci')).stdout).toMatch(/^workspace +Bakery$/m);

    expect((await run('workspaces', 'suspend', acme, '--yes')).code).toBe(0);
    const suspended = await runCommand(['workspaces', 'list'], { cwd });
    expect(suspended.stdout).toMatch(new RegExp(`^${acme}  Acme +active +since 20`, 'm'));
    expect((await run('workspaces', 'resume', acme)).stdout).toMatch(/^suspended +no$/m);

    expect((await run('keys', 'revoke', String(other['id']), '--workspace', acme, '--yes')).code).toBe(0);
    expect((await run('members', 'delete', id, '--workspace', acme, '--yes')).code).toBe(0);
    const [{ data: keys } = { data: {} }] = await json('keys', 'list', '--workspace', acme);
    const prefixOf = (made: typeof key): string => String(made['token']).slice(0, 8);
    expect(keys).toMatchObject([
      { prefix: prefixOf(other), revoked_at: expect.any(String) },
      { prefix: prefixOf(key), revoked_at: expect.any(String) },
    ]);
    const listed = await run('keys', 'list', '--workspace', acme);
    expect(listed.stdout).toMatch(/^id +name +begins with +scopes +state +last used\n/);
    expect(listed.stdout).toMatch(
      new RegExp(`  ci +${prefixOf(key)} +instances:read,messages:read +revoked `),
    );
    expect(await server.stop()).toBe(0);
    if (!isLongForm) return;
    // A running server may accept a revoked key for five more seconds; a newly started server does not.
    const later = await startServer({ env: { DATA_DIR: join(cwd, 'data') } });
    for (const { token } of [key, other])
      expect((await testClient(later.url, String(token)).request('GET', KEY_STATUS)).status).toBe(401);
    await later.stop();
  });

  it.runIf(isLongForm)('are refused with a line that says what is wrong', async () => {
    const { run, server } = await startCommandHarness();
    expect(await run('workspaces', 'suspend', 'ten_nobody', '--yes')).toEqual({
      code: 3,
      stdout: '',
      stderr: 'trunkline: There is no workspace ten_nobody: "trunkline workspaces list" lists them.\n',
    });
    expect((await run('workspaces', 'create', 'x'.repeat(1_000))).stderr).toMatch(
      /^trunkline: The request is not valid\. name: /,
    );
    expect(await run('members', 'create', 'ada')).toMatchObject({
      code: 2,
      stderr: 'trunkline: The request is not valid. email: Invalid email address.\n',
    });
    expect(await run('keys', 'create', '--scopes', 'everything')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^trunkline: --scopes must be a comma-separated list of instances:read, /,
      ),
    });
    expect(await run('keys', 'revoke', 'key_nobody', '--yes', '--json')).toMatchObject({
      code: 3,
      stderr:
        '{"error":{"code":"NOT_FOUND","message":"There is no such API key in this workspace.","request_id":null}}\n',
    });
    await server.stop();
  });
});

describe('trunkline migrate', () => {
  it.runIf(isLongForm)('says that the database is up to date, also while a server runs on it', async () => {
    const { run, data, server } = await startCommandHarness();
    expect((await run('migrate')).stdout).toMatch(/^The database is up to date \(\d+(\.\d)? s\)\.\n$/);
    expect(await data('migrate')).toMatchObject({ up_to_date: true });
    await server.stop();
  });
});
