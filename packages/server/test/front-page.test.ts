import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { addFrontPage } from '../src/http/front-page.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function frontPage(served: Partial<Parameters<typeof addFrontPage>[1]> = {}): Hono {
  const app = new Hono();
  addFrontPage(app, { api: true, reference: true, dashboard: true, ...served });
  return app;
}

it("the front page shows a browser the server's name and links to its parts", async () => {
  const response = await frontPage().request('/', { headers: { Accept: BROWSER } });
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=UTF-8');
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(response.headers.get('Vary')).toBe('Accept');
  const text = await response.text();
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, url]) => url);
  expect(links).toEqual([
    '/dashboard',
    '/api/v1',
    '/api/v1/docs',
    '/api/v1/openapi.json',
    'https://github.com/trunkline/trunkline/blob/main/docs/README.md',
  ]);
});

it.each([undefined, '*/*', 'application/json', 'text/plain'])(
  'the front page says the same as JSON to a program that accepts %s',
  async (accept) => {
    const headers = accept === undefined ? {} : { Accept: accept };
    const response = await frontPage().request('/', { headers });
    expect(await response.json()).toMatchObject({
      service: 'trunkline',
      links: { dashboard: '/dashboard', api: '/api/v1', reference: '/api/v1/docs' },
    });
  },
);

it('the front page omits parts that are not served', async () => {
  const read = async (served: Parameters<typeof frontPage>[0]): Promise<unknown> =>
    (await frontPage(served).request('/')).json();
  expect(await read({ reference: false, dashboard: false })).toMatchObject({
    links: { api: '/api/v1', openapi: '/api/v1/openapi.json', docs: expect.any(String) },
  });
  expect(await read({ api: false, dashboard: false })).toEqual({
    service: 'trunkline',
    links: { docs: expect.any(String) },
  });
  expect((await frontPage().request('/', { method: 'POST' })).status).toBe(404);
});
