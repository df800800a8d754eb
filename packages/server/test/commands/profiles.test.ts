import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/command-process.ts';
import type { CommandResult } from '../support/command-process.ts';
import { respondJson, startHostileService } from '../support/hostile-service.ts';
import type { HostileService } from '../support/hostile-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('Profiles', () => {
  const add = (cwd: string, name: string): Promise<CommandResult> =>
    runCommand(['profiles', 'add', name], { cwd, input: 'a-key-for-the-tests' });

  it('have names that an object can keep', async () => {
    const cwd = temporaryDirectory();
    for (const name of ['__proto__', '.', '..', '']) expect((await add(cwd, name)).code, name).toBe(2);
    for (const name of ['constructor', 'toString', 'a.b-c_d'])
      expect((await add(cwd, name)).code, name).toBe(0);
    const { stdout } = await runCommand(['profiles', 'list', '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      data: [{ name: 'constructor', is_default: true }, { name: 'toString' }, { name: 'a.b-c_d' }],
    });
  });

  it.skipIf(process.platform === 'win32')('are not read if others have access to them', async () => {
    const cwd = temporaryDirectory();
    expect((await add(cwd, 'shop')).code).toBe(0);
    const path = join(cwd, '.config/trunkline/profiles.json');
    for (const mode of [0o666, 0o644, 0o640, 0o602]) {
      chmodSync(path, mode);
      for (const args of [
        ['profiles', 'list'],
        ['profiles', 'use', 'shop'],
        ['instances', 'list'],
      ])
        expect(await runCommand(args, { cwd }), mode.toString(8)).toEqual({
          code: 1,
          stdout: '',
          stderr: `trunkline: Other users of this machine have access to ${path}, which has API keys in it: run "chmod 600 ${path}", and replace the keys if somebody may have read them.\n`,
        });
    }
    chmodSync(path, 0o600);
    expect((await runCommand(['profiles', 'list'], { cwd })).code).toBe(0);
  });
});

describe('The service of a command and its key', () => {
  const KEYS = { shop: 'the-key-of-the-shop', bank: 'the-key-of-the-bank', other: 'the-key-of-another' };

  const startService = (): Promise<HostileService> =>
    startHostileService((request, response) =>
      respondJson(
        response,
        request.path.endsWith('/openapi.json') ? { openapi: '3.1.0' } : { data: [], meta: { total: 0 } },
      ),
    );

  /** Starts three services: the default profile `shop`, the profile `bank`, and `other` without a profile. */
  async function startServices() {
    const cwd = temporaryDirectory();
    const services = { shop: await startService(), bank: await startService(), other: await startService() };
    for (const name of ['shop', 'bank'] as const) {
      const args = ['profiles', 'add', name, '--url', services[name].url];
      expect((await runCommand(args, { cwd, input: KEYS[name] })).code).toBe(0);
    }
    const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
      runCommand(args, { cwd, env });
    /** Returns each request since the previous call, as the name of its service and the key that it carried. */
    const taken = { shop: 0, bank: 0, other: 0 };
    const seen = () =>
      (['shop', 'bank', 'other'] as const).flatMap((name) => {
        const requests = services[name].requests.slice(taken[name]);
        taken[name] += requests.length;
        return requests.map(({ authorization }) => [name, authorization?.replace('Bearer ', '')]);
      });
    return { services, run, seen };
  }

  it('come from one source: the command line before the environment, and that before the default profile', async () => {
    const { services, run, seen } = await startServices();
    const { shop, bank, other } = services;
    const environment = { TRUNKLINE_URL: other.url, TRUNKLINE_API_KEY: KEYS.other };
    const both = { ...environment, TRUNKLINE_PROFILE: 'bank' };
    const cases = [
      [[], {}, 'shop'],
      [[], { TRUNKLINE_PROFILE: 'bank' }, 'bank'],
      [[], { TRUNKLINE_PROFILE: 'bank', TRUNKLINE_API_KEY: KEYS.other }, 'bank'],
      [[], { TRUNKLINE_URL: bank.url, TRUNKLINE_PROFILE: 'bank' }, 'bank'],
      [[], environment, 'other'],
      [[], both, 'other'],
      [['--profile', 'shop'], {}, 'shop'],
      [['--profile', 'bank'], environment, 'bank'],
      [['--profile', 'bank'], { TRUNKLINE_URL: other.url }, 'bank'],
      [['--profile', 'bank'], { TRUNKLINE_API_KEY: KEYS.other }, 'bank'],
      [['--profile', 'shop'], both, 'shop'],
      [['--profile', 'bank', '--url', `${bank.url}/api/v1/`], environment, 'bank'],
      [['--url', shop.url], {}, 'shop'],
      [['--url', other.url], { TRUNKLINE_URL: shop.url, TRUNKLINE_API_KEY: KEYS.other }, 'other'],
    ] as const;
    for (const [flags, env, name] of cases) {
      const where = `${flags.join(' ')} with ${Object.keys(env).join(', ')}`;
      expect(await run(['webhooks', 'list', ...flags], env), where).toMatchObject({ code: 0 });
      expect(seen(), where).toEqual([[name, KEYS[name]]]);
      expect(await run(['openapi', ...flags], env), where).toMatchObject({ code: 0 });
      expect(seen(), where).toEqual([[name, undefined]]);
    }
  });

  it('are refused if a profile is of another service than --url', async () => {
    const { services, run, seen } = await startServices();
    const env = { TRUNKLINE_API_KEY: KEYS.other };
    for (const command of [['webhooks', 'list'], ['openapi']])
      expect(await run([...command, '--profile', 'bank', '--url', services.other.url], env)).toEqual({
        code: 2,
        stdout: '',
        stderr: `trunkline: --url and --profile name different services: the profile bank is of ${services.bank.url}. Leave one of them out.\n`,
      });
    expect(seen()).toEqual([]);
  });

  it('do not mix the key in the environment with the address of the default profile', async () => {
    const { run, seen } = await startServices();
    // The key is of http://127.0.0.1:8080, where no service knows it.
    const { code } = await run(['webhooks', 'list'], { TRUNKLINE_API_KEY: KEYS.other });
    expect(code).not.toBe(0);
    expect(seen()).toEqual([]);
  });
});
