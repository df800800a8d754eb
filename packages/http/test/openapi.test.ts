import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { gunzipSync } from 'node:zlib';
import type { Logger } from '@trunkline/core';
import { describe, expect, test, vi } from 'vitest';
import { Hono } from 'hono';
import { apiReference } from '../derive/api-reference.ts';
import { clientOperations } from '../derive/client-operations.ts';
import { OPERATIONS } from '../src/client/operations.ts';
import { createHttpApp } from '../src/index.ts';
import { openApiDocument } from '../src/openapi/open-api-document.ts';
import { START, START_HASH } from '../src/openapi/reference-pages.ts';
import { ROUTES } from '../src/routes/all-routes.ts';
import { client } from './client.ts';
import type { Json } from './client.ts';
import { fakeTrunkline } from './fake-trunkline.ts';
import { ROUTE_TABLE } from './route-table.ts';

const served = client(createHttpApp(fakeTrunkline()), null);

test('the document passes a strict linter', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // "Optional fields may be added", so the schemas of responses allow unknown fields, and the linter must, too.
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    },
  });
  const source = JSON.stringify(openApiDocument('/api/v1'));
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test('the document in the repository is up to date; if not, `pnpm openapi` writes it again', async () => {
  const written: unknown = JSON.parse(await readFile(new URL('../openapi.json', import.meta.url), 'utf8'));
  expect(JSON.parse(JSON.stringify(openApiDocument('/api/v1')))).toEqual(written);
});

test('the operations of the client are up to date; if not, `pnpm openapi` writes them again', () => {
  expect(OPERATIONS).toEqual(clientOperations());
});

test('the page docs/api-reference.md is up to date; if not, `pnpm openapi` writes it again', async () => {
  const page = new URL('../../../docs/api-reference.md', import.meta.url);
  expect(await readFile(page, 'utf8')).toBe(apiReference());
});

test('the OpenAPI document has every route, with its scope and its success status', () => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument('/')));
  for (const { method, path, scopes, status } of ROUTE_TABLE) {
    const operation = paths[path]?.[method.toLowerCase()];
    expect(operation?.security, `${method} ${path}`).toEqual([{ apiKey: scopes }]);
    expect(Object.keys(operation.responses)).toContain(String(status));
  }
  const operations = Object.values<object>(paths).flatMap((item) => Object.keys(item));
  expect(operations).toHaveLength(ROUTES.length);
});

test('the example of each page with links has the address of its own route', () => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument('/api/v1')));
  const wrong: string[] = [];
  let found = 0;
  for (const { method, path } of ROUTE_TABLE) {
    const { content } = paths[path][method.toLowerCase()].responses['200'] ?? {};
    const { links, meta } = content?.['application/json']?.example ?? {};
    if (links === undefined) continue;
    found += 1;
    const ids = path.replaceAll(/\{(\w{3})\w+\}/g, '$1_[a-z0-9]{26}').replaceAll('mes_', 'msg_');
    const own = new RegExp(`^https://api\\.example\\.com/api/v1${ids}(\\?limit=1&cursor=\\w+)?$`);
    for (const address of [meta.path, links.next])
      if (!own.test(address)) wrong.push(`${method} ${path}: ${address}`);
  }
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThan(4);
});

const bodies = ROUTES.flatMap(({ operationId, success: { body } }) =>
  body === null || typeof body === 'string' ? [] : [[operationId, body] as const],
);
test.each(bodies)('the example of %s is valid, without extra fields', (_, { schema, example }) => {
  expect(schema.parse(example)).toEqual(example);
});

test('GET /openapi.json needs no key and is not counted', async () => {
  const seen = await served('GET', '/openapi.json');
  expect([seen.status, seen.headers.get('Content-Type')]).toEqual([200, 'application/json']);
  expect(seen.headers.get('X-Request-Id')).toBe('req_1');
  expect(seen.headers.has('X-RateLimit-Limit')).toBe(false);
  expect(seen.json).toEqual(JSON.parse(JSON.stringify(openApiDocument('/api/v1'))));
});

test('the OpenAPI document names the server that it was requested from, or the public URL', async () => {
  const serverOf = (json: Json): unknown => json.servers?.[0]?.url;
  const mounted = new Hono().route('/messaging', createHttpApp(fakeTrunkline()));
  const url = 'http://localhost/messaging/api/v1/openapi.json';
  expect(serverOf((await client(mounted, null)('GET', url)).json)).toBe('/messaging/api/v1');
  const rooted = createHttpApp(fakeTrunkline(), { basePath: '' });
  expect(serverOf((await client(rooted, null)('GET', 'http://localhost/openapi.json')).json)).toBe('/');
  const publicUrl = 'https://api.example.com/v1';
  const published = createHttpApp(fakeTrunkline(), { publicUrl });
  expect(serverOf((await client(published, null)('GET', '/openapi.json')).json)).toBe(publicUrl);
});

test.each(['/openapi.json', '/docs'])('%s has no other methods', async (path) => {
  const seen = await served('POST', path);
  expect([seen.status, seen.code, seen.headers.get('Allow')]).toEqual([
    405,
    'METHOD_NOT_ALLOWED',
    'GET, HEAD',
  ]);
});

describe('GET /docs', () => {
  const file = new TextEncoder().encode('window.Scalar = {};');
  const integrity = `sha384-${createHash('sha384').update(file).digest('base64')}`;

  test('is a page that describes every route, without a script and without another server', async () => {
    const seen = await served('GET', '/docs');
    expect([seen.status, seen.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const { method, path } of ROUTE_TABLE) expect(seen.text).toContain(`<code>${method} ${path}</code>`);
    expect(seen.text).toContain('href="openapi.json"');
    expect(seen.text).not.toMatch(/<script|https?:/);
    expect(seen.headers.get('Content-Security-Policy')).not.toMatch(/script-src|https?:/);
  });

  test('names every scope that the key needs for a route', async () => {
    const { text } = await served('GET', '/docs');
    for (const { method, path, scopes } of ROUTE_TABLE) {
      const [, shown = ''] = text.split(`<dt><code>${method} ${path}</code></dt>`);
      const [, needs = ''] = /<small>([^;]*);/.exec(shown) ?? [];
      expect(needs.match(/\w+:\w+/g) ?? [], `${method} ${path}`).toEqual(scopes);
    }
  });

  test("lets the browser run only Scalar's file and the line that starts it", async () => {
    const call = client(createHttpApp(fakeTrunkline(), { docs: { scalar: async () => file } }), null);
    const seen = await call('GET', '/docs');
    expect(START_HASH).toBe(`sha256-${createHash('sha256').update(START).digest('base64')}`);
    const policy = seen.headers.get('Content-Security-Policy');
    expect(policy).toContain(`script-src '${START_HASH}' '${integrity}';`);
    expect(policy).not.toMatch(/https?:/);
    const scripts = seen.text.match(/<script[^>]*>/g);
    expect(scripts).toEqual(['<script>', expect.stringContaining(`integrity="${integrity}"`)]);
    const [, src = ''] = /src="([^"]+)"/.exec(seen.text) ?? [];

    const url = new URL(src, 'http://localhost/api/v1/docs').href;
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['identity', Buffer.from],
    ] as const) {
      const app = createHttpApp(fakeTrunkline(), { docs: { scalar: async () => file } });
      const script = await app.request(url, { headers: { 'Accept-Encoding': encoding } });
      expect(decode(new Uint8Array(await script.arrayBuffer())).toString()).toBe('window.Scalar = {};');
      expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
      expect(script.headers.get('Cache-Control')).toContain('immutable');
    }
  });

  test.each(['gzip', 'identity'])(
    'the script is read once, however often it is asked for as %s',
    async (encoding) => {
      let reads = 0;
      const scalar = async (): Promise<Uint8Array<ArrayBuffer>> => {
        reads += 1;
        return new TextEncoder().encode('window.Scalar = {};');
      };
      const app = createHttpApp(fakeTrunkline(), { docs: { scalar } });
      const asked = Array.from({ length: 5 }, async () =>
        app.request('http://localhost/api/v1/docs/scalar.js', { headers: { 'Accept-Encoding': encoding } }),
      );
      for (const script of await Promise.all(asked)) {
        const bytes = await script.arrayBuffer();
        const plain = encoding === 'gzip' ? gunzipSync(bytes) : Buffer.from(bytes);
        expect(plain.toString()).toBe('window.Scalar = {};');
      }
      expect(reads).toBe(1);
    },
  );

  test('if the file of Scalar cannot be read, the page is a plain one, the log says so, and the next request tries again', async () => {
    let tries = 0;
    const scalar = async (): Promise<Uint8Array<ArrayBuffer>> => {
      tries += 1;
      if (tries === 1) throw new Error('ENOENT');
      return file;
    };
    const error = vi.fn<Logger['error']>();
    const logger: Logger = { debug() {}, info() {}, warn() {}, error };
    const call = client(createHttpApp({ ...fakeTrunkline(), logger }, { docs: { scalar } }), null);
    expect((await call('GET', '/docs')).text).not.toContain('<script');
    expect(error).toHaveBeenCalledExactlyOnceWith(
      { err: expect.objectContaining({ message: 'ENOENT' }) },
      expect.stringContaining('docs.scalar'),
    );
    expect((await call('GET', '/docs')).text).toContain(integrity);
  });

  test('can be left out, and leaves the document', async () => {
    const call = client(createHttpApp(fakeTrunkline(), { docs: false }), null);
    expect((await call('GET', '/docs')).code).toBe('NOT_FOUND');
    expect((await call('GET', '/docs/scalar.js')).code).toBe('NOT_FOUND');
    expect((await call('GET', '/openapi.json')).status).toBe(200);
  });
});
