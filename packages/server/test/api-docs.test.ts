import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { testBrowser } from '@trunkline/browser';
import { startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('The reference of a running service', () => {
  it.runIf(isLongForm)(
    'is interactive in a browser that reaches only this host, and keeps to its policy',
    async () => {
      const server = await startServer({ env: { DATA_DIR: temporaryDirectory() } });
      const { page, problems } = await browser.open();
      // Scalar's copy of zod tries eval, and works without it.
      problems.expect(/script-src forbids eval/);
      const elsewhere: string[] = [];
      await page.route(
        (url) => url.origin !== server.url && /^https?:/.test(url.href),
        async (route) => {
          elsewhere.push(route.request().url());
          await route.abort();
        },
      );
      await page.goto(`${server.url}/api/v1/docs`);
      const reference = page.locator('#reference'); // Scalar's container
      await reference.getByText('Beyond the specification').first().waitFor(); // a chapter of the document
      const title = await reference
        .getByRole('heading', { name: 'Trunkline', exact: true })
        .first()
        .boundingBox();
      expect(title?.width).toBeGreaterThan(100); // the plain page's style does not apply
      expect(await page.locator('#plain').isVisible()).toBe(false);
      await page.waitForLoadState('networkidle');
      expect(elsewhere).toEqual([]);
      await server.stop();
    },
  );
});

it('API_DOCS=off removes the page', async () => {
  const server = await startServer({ env: { API_DOCS: 'off', DATA_DIR: temporaryDirectory() } });
  expect((await fetch(`${server.url}/api/v1/docs`)).status).toBe(404);
  expect((await fetch(`${server.url}/api/v1/openapi.json`)).status).toBe(200);
  await server.stop();
});
