import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runCommand, startCommand } from '../support/command-process.ts';
import type { CommandResult } from '../support/command-process.ts';
import { runServer, startServer } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startInTerminal, terminalMissing } from '../support/terminal-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { API_KEY, testClient } from '../support/test-client.ts';
import { startReceiver } from '../support/test-receiver.ts';
import type { TestReceiver } from '../support/test-receiver.ts';

const NEW_KEY = 'the-new-secret-key-of-32-characters';
const WEBHOOKS = 4;

interface Place {
  readonly cwd: string;
  readonly receiver: TestReceiver;
  readonly key: () => string;
  start(env?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandResult>;
  rotate(...args: readonly string[]): Promise<CommandResult>;
  /** Checks that a server on the directory can open sealed values: it signs a webhook with the original secret. */
  works(env?: Readonly<Record<string, string>>): Promise<void>;
}

async function place(): Promise<Place> {
  const cwd = temporaryDirectory();
  const data = join(cwd, 'data');
  const receiver = await startReceiver();
  const start: Place['start'] = (env = {}) =>
    startServer({
      env: { DATA_DIR: data, API_KEY, WEBHOOK_URL_POLICY: 'local', RATE_LIMIT: '0', ...env },
      cwd,
    });
  const run: Place['run'] = (args, env = {}) => runCommand(args, { cwd, env });
  const server = await start();
  const client = testClient(server.url);
  const { id: instance } = await client.createInstance();
  await client.connect(instance);
  const { secret } = await client.registerWebhook(receiver.url, ['message.sent']);
  receiver.secret = secret;
  for (let more = 1; more < WEBHOOKS; more += 1)
    await client.registerWebhook(`${receiver.url}/${more}`, ['message.failed']);
  await server.stop();
  return {
    cwd,
    receiver,
    key: () => readFileSync(join(data, 'secret.key'), 'utf8').trim(),
    start,
    run,
    rotate: (...args) => run(['rotate-secret-key', '--yes', ...args]),
    async works(env) {
      const before = receiver.requests.length;
      const running = await start(env);
      await testClient(running.url).send({ instance });
      await until('the webhook is signed and sent', () => receiver.requests.length > before);
      expect(receiver.refused).toEqual([]);
      expect(await running.stop()).toBe(0);
    },
  };
}

function keyFiles(cwd: string): readonly string[] {
  const names = readdirSync(join(cwd, 'data')).filter((name) => name.startsWith('secret.key'));
  for (const name of names) expect(statSync(join(cwd, 'data', name)).mode & 0o777).toBe(0o600);
  return names.map((name) => name.replace(/-[0-9a-f]{8}$/, '-…')).toSorted();
}

/** The sealed values in the database, by the name of their owner. */
function sealedValues(cwd: string): ReadonlyMap<string, string> {
  const database = new DatabaseSync(join(cwd, 'data', 'trunkline.db'), { readOnly: true });
  const rows = database
    .prepare(
      `SELECT id AS name, sealed_secret AS value FROM endpoints
       UNION ALL SELECT instance_id || ' ' || name, hex(value) FROM session_values
       UNION ALL SELECT name, value FROM settings WHERE name = 'secret_key_check'`,
    )
    .all();
  database.close();
  return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
}

/** The names of the values that differ. */
function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  expect([...after.keys()]).toEqual([...before.keys()]);
  return [...after.keys()].filter((name) => after.get(name) !== before.get(name));
}

const NOT_THE_KEY = 'The secretKey is not the one that this database was set up with';
const KILLER = new URL('../support/kill-at-statement.ts', import.meta.url).href;

describe('trunkline rotate-secret-key', () => {
  it('seals everything with a new key, which is printed nowhere, and keeps the previous one for backups', async () => {
    const at = await place();
    const former = at.key();
    const before = sealedValues(at.cwd);
    const rotated = await at.rotate('--json');
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    const { data } = JSON.parse(rotated.stdout) as { data: { sealed: number; former_secret_key: string } };
    expect(data.sealed).toBe(WEBHOOKS + 2); // plus the number's session and the key's check value
    expect(at.key()).not.toBe(former);
    expect(readFileSync(join(at.cwd, data.former_secret_key), 'utf8').trim()).toBe(former);
    expect(keyFiles(at.cwd)).toEqual(['secret.key', 'secret.key.former-…']);
    for (const key of [former, at.key()]) expect(rotated.stdout + rotated.stderr).not.toContain(key);
    expect(changed(before, sealedValues(at.cwd))).toHaveLength(WEBHOOKS + 2);
    // The new key alone is enough.
    rmSync(join(at.cwd, data.former_secret_key));
    await at.works();
    const refused = await runServer({ env: { DATA_DIR: join(at.cwd, 'data'), SECRET_KEY: former } });
    expect(refused.stderr).toContain(NOT_THE_KEY);

    if (!isLongForm) return;
    // Opens every value, with the only key that is left.
    expect((await at.rotate()).code).toBe(0);
    expect((await at.rotate()).code).toBe(0);
    expect(keyFiles(at.cwd)).toEqual(['secret.key', 'secret.key.former-…', 'secret.key.former-…']);
    await at.works();
  });

  it.runIf(isLongForm)('leaves a copy from before to the previous key, and to no other', async () => {
    const at = await place();
    const former = at.key();
    const copy = join(temporaryDirectory(), 'data');
    cpSync(join(at.cwd, 'data'), copy, { recursive: true });
    expect((await at.rotate()).code).toBe(0);
    rmSync(join(copy, 'secret.key'));
    const refused = await runServer({ env: { DATA_DIR: copy, SECRET_KEY: at.key() } });
    expect(refused.stderr).toContain(NOT_THE_KEY);
    await at.works({ DATA_DIR: copy, SECRET_KEY: former });
  });

  it.runIf(isLongForm)(
    'continues after a kill in the middle of sealing: with the same new key, and only with the rest',
    async () => {
      const at = await place();
      const former = at.key();
      const before = sealedValues(at.cwd);
      const third = { NODE_OPTIONS: `--import=${KILLER}`, KILL_AT_STATEMENT: '3 UPDATE endpoints SET' };
      const killed = await at.run(['rotate-secret-key', '--yes'], third);
      expect(killed.code).toBe('SIGKILL');
      const middle = sealedValues(at.cwd);
      const first = changed(before, middle);
      expect(first).toHaveLength(2);
      expect(keyFiles(at.cwd)).toEqual(['secret.key', 'secret.key.next']);
      expect(at.key()).toBe(former);
      const next = readFileSync(join(at.cwd, 'data', 'secret.key.next'), 'utf8').trim();
      // Some values need the previous key, so the new one alone is refused.
      const copy = join(temporaryDirectory(), 'data');
      cpSync(join(at.cwd, 'data'), copy, { recursive: true });
      for (const file of ['secret.key', 'secret.key.next']) rmSync(join(copy, file));
      const refused = await runServer({ env: { DATA_DIR: copy, SECRET_KEY: next } });
      expect(refused.stderr).toContain(NOT_THE_KEY);

      const again = await at.rotate('--json');
      expect(again.code).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({ data: { sealed: WEBHOOKS - 2 + 2 } });
      const rest = changed(middle, sealedValues(at.cwd));
      expect([...first, ...rest].toSorted()).toEqual([...before.keys()].toSorted());
      expect(at.key()).toBe(next);
      expect(keyFiles(at.cwd)).toEqual(['secret.key', 'secret.key.former-…']);
      await at.works();
    },
  );

  it.runIf(isLongForm && terminalMissing() === null)(
    'shows in a terminal how far it is, and asks first',
    async () => {
      const at = await place();
      const former = at.key();
      const refused = startInTerminal(['rotate-secret-key'], at);
      await refused.printed(/A new secret key replaces/);
      refused.input('\r');
      expect(await refused.ended).toBe(1);
      expect(keyFiles(at.cwd)).toEqual(['secret.key']);
      const agreed = startInTerminal(['rotate-secret-key'], at);
      await agreed.printed(/A new secret key replaces/);
      agreed.input('y\r');
      expect(await agreed.ended).toBe(0);
      expect(at.key()).not.toBe(former);
      const lines = agreed.stdout().split('\r\u001b[K');
      expect(lines).toContain(`${WEBHOOKS + 2} secrets are sealed with the new key`);
      // The result follows the last progress line.
      expect(lines.at(-1)).toMatch(/^secret key/);
      await at.works();
    },
  );

  it.runIf(isLongForm)(
    'continues after a kill at any moment, while servers start with both keys and say so',
    async () => {
      const at = await place();
      const former = at.key();
      const next = join(at.cwd, 'data', 'secret.key.next');
      const first = startCommand(['rotate-secret-key', '--yes'], { cwd: at.cwd });
      // The rotation may end between two checks, so a replaced key counts, too.
      await until('the new key is there', () => existsSync(next) || at.key() !== former);
      await first.kill();
      if (!existsSync(next)) return expect(at.key()).not.toBe(former); // the rotation had already ended
      const begun = readFileSync(next, 'utf8');

      const server = await at.start();
      expect(server.stderr()).toContain(
        'a rotation of the secret key has not ended: the new key seals, and both open',
      );
      expect((await at.rotate()).stderr).toMatch(
        /Process \d+ of this machine uses .*: stop the server first/,
      );
      await server.kill(); // perhaps in the middle of sealing
      expect((await at.run(['doctor', '--offline'])).stdout).toContain(
        'A rotation of the secret key has not ended',
      );
      expect(await at.run(['backup', 'b'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('one key alone would not open the backup'),
      });
      await at.works();
      // Recreates the state after a kill before the last step.
      const kept = createHash('sha256').update(former).digest('hex').slice(0, 8);
      linkSync(join(at.cwd, 'data', 'secret.key'), join(at.cwd, 'data', `secret.key.former-${kept}`));
      const again = startCommand(['rotate-secret-key', '--yes'], { cwd: at.cwd });
      await until(
        'it uses the database',
        () => existsSync(join(at.cwd, 'data', 'trunkline.db-wal')) || !existsSync(next),
      );
      await again.kill();
      if (existsSync(next)) expect(readFileSync(next, 'utf8')).toBe(begun);
      if (existsSync(next)) expect((await at.rotate()).code).toBe(0);
      expect(at.key()).toBe(begun.trim());
      expect(keyFiles(at.cwd)).toEqual(['secret.key', 'secret.key.former-…']);
      await at.works();
    },
  );

  it('is refused while a server runs, and then leaves no second key behind', async () => {
    const cwd = temporaryDirectory();
    const server = await startServer({ env: {}, cwd });
    const key = (): string => readFileSync(join(cwd, 'data', 'secret.key'), 'utf8');
    const before = key();
    const refused = await runCommand(['rotate-secret-key', '--yes'], { cwd });
    expect(refused.stderr).toMatch(/Process \d+ of this machine uses .*: stop the server first/);
    expect(keyFiles(cwd)).toEqual(['secret.key']);
    expect(key()).toBe(before);
    await server.stop();
    const unasked = await runCommand(['rotate-secret-key'], { cwd });
    expect(unasked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing was done: add --yes'),
    });
  });

  it.runIf(isLongForm)(
    'takes the keys of SECRET_KEY and SECRET_KEY_PREVIOUS, and reports if they are swapped',
    async () => {
      const at = await place();
      const former = at.key();
      const rotate = (env: Readonly<Record<string, string>>): Promise<CommandResult> =>
        at.run(['rotate-secret-key', '--yes'], env);
      expect(await rotate({ SECRET_KEY: former })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          'The secret key is in SECRET_KEY, where this command cannot replace it',
        ),
      });
      const both = { SECRET_KEY: NEW_KEY, SECRET_KEY_PREVIOUS: former };
      expect(await rotate({ SECRET_KEY: former, SECRET_KEY_PREVIOUS: NEW_KEY })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('If SECRET_KEY_PREVIOUS is the new key, swap the two'),
      });
      expect(
        await rotate({ SECRET_KEY: NEW_KEY, SECRET_KEY_PREVIOUS: `${NEW_KEY} of another` }),
      ).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(NOT_THE_KEY),
      });
      expect((await rotate(both)).code).toBe(0);
      await at.works({ SECRET_KEY: NEW_KEY });
    },
  );

  it.runIf(isLongForm)(
    'keeps both keys while something cannot be sealed again, and loses nothing',
    async () => {
      const at = await place();
      const former = at.key();
      const database = new DatabaseSync(join(at.cwd, 'data', 'trunkline.db'));
      // Simulates a full disk: the secret of one webhook, `…/2`, cannot be written.
      database.exec(`CREATE TRIGGER full BEFORE UPDATE OF sealed_secret ON endpoints
      WHEN NEW.sealed_secret <> OLD.sealed_secret AND NEW.url LIKE '%/2'
      BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
      const failed = await at.rotate();
      expect(failed).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Both keys are kept, and needed, until the same command succeeds'),
      });
      expect(keyFiles(at.cwd)).toEqual(['secret.key', 'secret.key.next']);
      expect(at.key()).toBe(former);
      await at.works();
      database.exec('DROP TRIGGER full');
      database.close();
      expect((await at.rotate()).code).toBe(0);
      await at.works();
      expect(keyFiles(at.cwd)).toEqual(['secret.key', 'secret.key.former-…']);
    },
  );

  it.runIf(isLongForm)(
    'refuses a damaged new key, and does not start without the one that it replaces',
    async () => {
      const at = await place();
      writeFileSync(join(at.cwd, 'data', 'secret.key.next'), 'half', { mode: 0o600 });
      expect((await at.rotate()).stderr).toContain('The secret key is damaged');
      expect((await runServer({ env: { DATA_DIR: join(at.cwd, 'data') } })).stderr).toContain(
        'The secret key is damaged',
      );
    },
  );
});
