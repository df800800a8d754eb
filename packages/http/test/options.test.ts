import { expect, test } from 'vitest';
import { createClient } from '../src/client/index.ts';
import { createGuard, createHttpApp } from '../src/index.ts';
import type { HttpAppOptions } from '../src/index.ts';
import { client } from './client.ts';
import { fakeTrunkline } from './fake-trunkline.ts';

test('the base path can be another one, or none', async () => {
  for (const basePath of ['/messaging/api/v1', '']) {
    const call = client(createHttpApp(fakeTrunkline(), { basePath }));
    expect((await call('GET', `http://localhost${basePath}/api-key`)).status).toBe(200);
    expect((await call('GET', 'http://localhost/api/v1/api-key')).status).toBe(404);
  }
});

test('a process without the role api serves nothing', () => {
  const trunkline = {
    ...fakeTrunkline(),
    roles: { api: false, gateway: true, webhooks: true, maintenance: true },
  };
  expect(() => createHttpApp(trunkline)).toThrow(/does not serve requests/);
});

test.each<[string, HttpAppOptions]>([
  ['basePath', { basePath: 'api/v1' }],
  ['basePath', { basePath: '/api/v1/' }],
  ['basePath', { basePath: '/:any' }],
  ['publicUrl', { publicUrl: 'api.example.com' }],
  ['publicUrl', { publicUrl: 'https://me:hush@api.example.com' }],
  ['publicUrl', { publicUrl: 'ftp://api.example.com' }],
  ['publicUrl', { publicUrl: 'https://api.example.com/?a=1' }],
  ['docs', { docs: true as never }],
  ['docs', { docs: { scalar: 'standalone.js' as never } }],
  ['maxJsonBytes', { maxJsonBytes: 0 }],
  ['maxJsonBytes', { maxJsonBytes: 1.5 }],
  ['tracerProvider', { tracerProvider: {} as never }],
  ['onError', { onError: 'console' as never }], // JavaScript would allow this
])('a wrong %s is named: %o', (name, options) => {
  expect(() => createHttpApp(fakeTrunkline(), options)).toThrow(
    new RegExp(`createHttpApp: the option "${name}" is wrong: `),
  );
});

test('an unknown option is named, with the likely intended one', () => {
  expect(() => createHttpApp(fakeTrunkline(), { basepath: '/api' } as never)).toThrow(
    'createHttpApp: there is no option "basepath". Did you mean "basePath"?',
  );
  expect(() => createGuard(fakeTrunkline(), { ratelimit: false } as never)).toThrow(
    'createGuard: there is no option "ratelimit". Did you mean "rateLimit"?',
  );
  expect(() => createClient({ baseurl: 'https://api.example.com', apiKey: 'key' } as never)).toThrow(
    'createClient: there is no option "baseurl". Did you mean "baseUrl"?',
  );
});
