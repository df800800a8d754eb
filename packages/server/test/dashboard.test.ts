import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

async function start(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return startServer({ env: { DATA_DIR: join(temporaryDirectory(), 'data'), ...env } });
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
    return (await fetch(`${server.url}/dashboard/api/${path}`, init)).json() as Promise<Json>; // looked into below
  };
  const workspace = (await call('GET', 'admin/workspaces')).data.workspaces?.[0]?.id;
  const instance = (await call('POST', `workspaces/${workspace}/instances`, {})).data.id;
  const own = `workspaces/${workspace}/instances/${instance}`;
  await call('POST', `${own}/connect`);
  while ((await call('GET', own)).data.status !== 'qr_required');
  const scan = `workspaces/${workspace}/sandbox/instances/${instance}/scan`;
  const scanned = await call('POST', scan, { phone_number: '+1 555 0100' });
  expect(scanned.data).toMatchObject({ id: instance });
  while ((await call('GET', own)).data.status !== 'connected');
  await server.stop();
});

interface Json {
  readonly data: {
    readonly id?: string;
    readonly status?: string;
    readonly workspaces?: readonly { readonly id: string }[];
  };
}

it('a link that was used before a restart is not used again, and a session lasts through it', async () => {
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
});

it('the token and the address that clients use can be set', async () => {
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

it('can be switched off, and is not where the API is not', async () => {
  for (const env of [{ DASHBOARD: 'off' }, { ROLES: 'gateway' }]) {
    const server = await start(env);
    expect(server.stdout()).not.toContain('dashboard');
    expect((await fetch(`${server.url}/dashboard`)).status).toBe(404);
    await server.stop();
  }
});
