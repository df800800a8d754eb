import { testBrowser } from '@trunkline/browser';
import { createTrunkline, silentLogger } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { memoryMediaStore } from '@trunkline/core/testing';
import type { Storage } from '@trunkline/core';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sharedPostgres } from '@trunkline/test-postgres';
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SECRET_KEY, serveDashboard } from '../support/serve-dashboard.ts';

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('a page of one process', () => {
  it('shows what happens in another, on the same database', async () => {
    const connectionString = await sharedPostgres();
    const schema = `dashboard_${randomUUID().replaceAll('-', '')}`;
    const storage = (): Storage => postgresStorage({ connectionString, schema }) as Storage;

    const served = await serveDashboard({
      trunkline: {
        storage: storage(),
        roles: { api: true, gateway: false, webhooks: false, maintenance: false },
      },
    });
    const other = createTrunkline({
      ...nodeRuntime(),
      media: memoryMediaStore(),
      storage: storage(),
      gateways: [served.sandbox.gateway],
      secretKey: SECRET_KEY,
      logger: silentLogger,
    });
    await other.start();
    onTestFinished(() => other.stop());
    const { id: instance } = await served.connect('Support');

    const { page } = await browser.open();
    await page.goto(served.link());
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await page.goto(`${served.url}/w/${served.workspaceId}/messages`);
    await page.getByText('No message yet.').waitFor();
    await page.getByText('Live', { exact: true }).locator('visible=true').waitFor();

    const begun = performance.now();
    await served.sandbox.phone(instance).receive({ from: '15550199', text: 'From a phone' });
    await page.locator('tbody tr', { hasText: 'From a phone' }).waitFor();
    // Printed, not checked; less than a second on an idle machine.
    process.stdout.write(`Shown ${Math.round(performance.now() - begun)} ms after it was received.\n`);

    const api = other.workspace(served.workspaceId);
    await api.messages.send({ instance, to: '15550100', type: 'text', text: 'From the other one' });
    await page.locator('tr', { hasText: 'From the other one' }).getByText('Read').waitFor();
    await served.sandbox.phone(instance).drop();
    await page.goto(`${served.url}/system`);
    await page.getByText('2 processes run the service.').waitFor();
    expect(await page.getByRole('row').filter({ hasText: '1 number' }).count()).toBe(1);

    await page.goto(`${served.url}/w/${served.workspaceId}/numbers/${instance}`);
    await page.getByText('Connected', { exact: true }).locator('visible=true').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
