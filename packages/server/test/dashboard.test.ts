import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runCommand } from './support/command-process.ts';
import { startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

async function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return startServer({ env: { DATA_DIR: join(temporaryDirectory(), 'data'), ...env }, isAtTerminal: true });
}

function linkIn(server: ServerProcess): URL {
  return new URL(/^The dashboard.*: (http\S+)$/m.exec(server.stdout())?.[1] ?? 'none:');
}

async function signIn(server: ServerProcess, credential: object): Promise<Response> {
  return fetch(`${server.url}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { Origin: server.url, 'Content-Type': 'application/json' },
    body: JSON.stringify(credential),
  });
}

it('the start prints a link that signs an admin in, once; a sandbox can be used from there', async () => {
  const server = await start();
  const link = linkIn(server);
  expect((await fetch(link)).headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  const credential = { token: link.hash.replace('#token=', '') };
  const signedIn = await signIn(server, credential);
  expect(await signedIn.json()).toMatchObject({ data: { access: 'admin', features: { sandbox: true } } });
  expect((await signIn(server, credential)).status).toBe(401);

  const cookie = signedIn.headers.get('Set-Cookie')?.split(';', 1)[0] ?? '';
  const headers = { Cookie: cookie, Origin: server.url, 'Content-Type': 'application/json' };
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await fetch(`${server.url}/dashboard/api/${path}`, init)).json() as Promise<Json>; // tests read any field
  };
  const workspace = (await call('GET', 'admin/workspaces')).data.workspaces?.[0]?.id;
  const instance = (await call('POST', `workspaces/${workspace}/instances`, {})).data.id;
  const own = `workspaces/${workspace}/instances/${instance}`;
  const becomes = (status: string): Promise<true> =>
    until(`it is ${status}`, async () => (await call('GET', own)).data.status === status);
  await call('POST', `${own}/connect`);
  await becomes('qr_required');
  const scan = `workspaces/${workspace}/sandbox/instances/${instance}/scan`;
  const scanned = await call('POST', scan, { phone_number: '+1 555 0100' });
  expect(scanned.data).toMatchObject({ id: instance });
  await becomes('connected');
  await server.stop();
});

interface Json {
  readonly data: {
    readonly id?: string;
    readonly status?: string;
    readonly workspaces?: readonly { readonly id: string }[];
  };
}

it.runIf(isLongForm)(
  'a link that was used before a restart is not used again, and a session lasts through it',
  async () => {
    const directory = join(temporaryDirectory(), 'data');
    const first = await start({ DATA_DIR: directory });
    const credential = { token: linkIn(first).hash.replace('#token=', '') };
    const cookie = (await signIn(first, credential)).headers.get('Set-Cookie')?.split(';', 1)[0] ?? '';
    await first.stop();
    const second = await start({ DATA_DIR: directory });
    expect((await signIn(second, credential)).status).toBe(401);
    const session = await fetch(`${second.url}/dashboard/api/session`, { headers: { Cookie: cookie } });
    expect(session.status).toBe(200);
    await second.stop();
  },
);

it.runIf(isLongForm)('the token and the address that clients use can be set', async () => {
  const token = 'a token for admins';
  const PUBLIC_URL = 'https://messages.example.com/tools';
  const server = await start({ DASHBOARD_TOKEN: token.replaceAll(' ', '-'), PUBLIC_URL });
  expect(linkIn(server).href).toMatch(
    /^https:\/\/messages\.example\.com\/tools\/dashboard\/sign-in#token=link_/,
  );
  const signedIn = await signIn(server, { token: token.replaceAll(' ', '-') });
  expect(signedIn.headers.get('Set-Cookie')).toMatch(/Path=\/tools\/dashboard; HttpOnly; Secure/);
  await server.stop();
});

it.runIf(isLongForm)('can be switched off, and needs the API', async () => {
  for (const env of [{ DASHBOARD: 'off' }, { ROLES: 'gateway' }]) {
    const server = await start(env);
    expect(server.stdout()).not.toContain('dashboard');
    expect((await fetch(`${server.url}/dashboard`)).status).toBe(404);
    await server.stop();
  }
});

describe('trunkline dashboard', () => {
  const sendTo = async (server: ServerProcess, link: string): Promise<Response> =>
    signIn(server, { token: new URL(link).hash.replace('#token=', '') });

  it('prints a link that signs an admin in to the running server, once', async () => {
    const cwd = temporaryDirectory();
    const server = await start({ DATA_DIR: join(cwd, 'data') });
    const { code, stdout, stderr } = await runCommand(['dashboard', '--url', server.url], { cwd });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'It signs in once, within an hour, and makes whoever opens it an admin: do not share it.\n',
    });
    expect(stdout.startsWith(`${server.url}/dashboard/sign-in#token=link_`)).toBe(true);
    const signedIn = await sendTo(server, stdout.trim());
    expect(await signedIn.json()).toMatchObject({ data: { access: 'admin' } });
    const again = await sendTo(server, stdout.trim());
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({
      error: { code: 'INVALID_API_KEY', message: expect.stringContaining('"trunkline dashboard" prints') },
    });

    const json = await runCommand(['dashboard', '--json', '--url', `${server.url}/dashboard`], { cwd });
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 0, stderr: '' });
    const { data } = JSON.parse(json.stdout) as { data: { url: string } };
    expect((await sendTo(server, data.url)).status).toBe(200);
    await server.stop();
  });

  it('finds the port of the running server, however it was chosen, and not that of a killed one', async () => {
    const cwd = temporaryDirectory();
    const server = await start({ DATA_DIR: join(cwd, 'data') }); // at any free port
    const run = async (env: Readonly<Record<string, string>> = {}): Promise<string> =>
      (await runCommand(['dashboard'], { cwd, env })).stdout.trim();
    const link = await run();
    expect(link).toMatch(new RegExp(`^${server.url}/dashboard/sign-in#token=link_`));
    expect((await sendTo(server, link)).status).toBe(200);
    expect(await run({ PUBLIC_URL: 'https://messages.example.com' })).toMatch(
      /^https:\/\/messages\.example\.com\/dashboard\//,
    );

    await server.kill();
    expect(await run()).toMatch(/^http:\/\/127\.0\.0\.1:8080\/dashboard\//);
    writeFileSync(join(cwd, 'data', 'server.address'), '{"url":"javascript:alert(1)"');
    expect(await run()).toMatch(/^http:\/\/127\.0\.0\.1:8080\/dashboard\//);

    const next = await start({ DATA_DIR: join(cwd, 'data') });
    expect(await run()).toContain(next.url);
    await next.stop();
    expect(existsSync(join(cwd, 'data', 'server.address'))).toBe(false);
  });

  it.runIf(isLongForm)('finds the server where the settings say that it is', async () => {
    const cwd = temporaryDirectory();
    await (await start({ DATA_DIR: join(cwd, 'data') })).stop();
    const linkWith = async (env: Readonly<Record<string, string>>): Promise<string> =>
      (await runCommand(['dashboard'], { cwd, env })).stdout;
    expect(await linkWith({})).toMatch(/^http:\/\/127\.0\.0\.1:8080\/dashboard\/sign-in#token=link_/);
    expect(await linkWith({ HOST: '::1', PORT: '9000' })).toMatch(/^http:\/\/\[::1\]:9000\/dashboard\//);
    const PUBLIC_URL = 'https://messages.example.com/tools';
    expect(await linkWith({ PUBLIC_URL, PORT: '0' })).toMatch(
      /^https:\/\/messages\.example\.com\/tools\/dashboard\/sign-in#token=link_/,
    );
  });

  it.runIf(isLongForm)('prints no link that servers would refuse', async () => {
    const cwd = temporaryDirectory();
    await (await start({ DATA_DIR: join(cwd, 'data') })).stop();
    const refusals: readonly (readonly [Readonly<Record<string, string>>, number, string])[] = [
      [{ DASHBOARD: 'off' }, 1, 'The dashboard is switched off: set DASHBOARD to "on"'],
      [{ PORT: '0' }, 2, 'PORT is 0, for any free port, and no server runs'],
      [
        { SECRET_KEY: 'another-secret-key-of-32-characters' },
        1,
        'The secretKey is not the one that this database was set up with',
      ],
    ];
    for (const [env, code, message] of refusals)
      expect(await runCommand(['dashboard'], { cwd, env })).toEqual({
        code,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
  });
});
