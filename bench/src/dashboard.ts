/**
 * The Lighthouse scores of the dashboard's pages, on loopback, with one number and 60 messages, for a phone (a
 * processor four times slower, a slow network) and for a desktop, in ROUNDS rounds. LIGHTHOUSE is the package that npx
 * runs; FORM is `phone` or `desktop` to measure only one. On a busy machine, compare the times: the score depends most
 * on the blocking time, which grows with the load.
 */
import { serve } from '@hono/node-server';
import { findExecutable } from '@trunkline/browser/executable';
import { createTrunkline, silentLogger } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createDashboard } from '@trunkline/dashboard';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { compare, median, plain, printMachine, printTable, size, spread } from './figures.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';

const ROUNDS = size('ROUNDS', 3);
// Not a dependency, because it would add 180 MB to every clone.
const { LIGHTHOUSE = 'lighthouse@13' } = process.env;
// A live page always keeps a request open: Lighthouse stops waiting for it after this time.
const LOADED_MS = 10_000;
const PAGES = ['', '/numbers', '/messages', '/chats', '/webhooks', '/system'];
const FORMS = { phone: [], desktop: ['--preset=desktop'] };
const { FORM } = process.env;

const report = z.object({
  categories: z.object({
    performance: z.object({ score: z.number() }),
    accessibility: z.object({ score: z.number() }),
  }),
  audits: z.object({
    'first-contentful-paint': z.object({ numericValue: z.number() }),
    'largest-contentful-paint': z.object({ numericValue: z.number() }),
    'total-blocking-time': z.object({ numericValue: z.number() }),
    'cumulative-layout-shift': z.object({ numericValue: z.number() }),
  }),
});

const directory = makeDirectory();
const runtime = nodeRuntime();
const sandbox = createSandbox();
const trunkline = createTrunkline({
  ...runtime,
  storage: sqliteStorage({ path: join(directory, 'trunkline.db') }),
  gateways: [sandbox.gateway],
  secretKey: 'a secret key of the benches, long enough',
  logger: silentLogger,
});
await trunkline.start();
const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
const { instances } = trunkline.workspace(workspaceId);
const { id } = await instances.create({ name: 'Support' });
await instances.connect(id);
while ((await instances.get(id)).status !== 'qr_required') await sleep(10);
await sandbox.phone(id).scan();
for (let number = 1; number <= 60; number += 1)
  await sandbox.phone(id).receive({ from: `1555010${1000 + number}`, text: `Message ${number}` });

const dashboard = createDashboard(trunkline, { authorize: () => ({ access: 'admin' }) });
const server = serve({ fetch: (request) => dashboard.fetch(request), hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
const { port } = server.address() as AddressInfo; // the server listens on TCP
const root = `http://127.0.0.1:${port}/dashboard`;
const { path: browser, environment } = await findExecutable();

printMachine();
const rows: string[][] = [];
for (const [form, options] of Object.entries(FORMS)) {
  if (FORM !== undefined && FORM !== form) continue;
  const performance: number[] = [];
  const accessibility: number[] = [];
  for (const page of PAGES) {
    const rounds: z.infer<typeof report>[] = [];
    const url = page === '/system' ? `${root}${page}` : `${root}/w/${workspaceId}${page}`;
    for (let round = 1; round <= ROUNDS; round += 1) rounds.push(await measure(url, options));
    const ofPage = rounds.map(({ categories }) => 100 * categories.performance.score);
    performance.push(median(ofPage));
    const access = Math.min(...rounds.map(({ categories }) => 100 * categories.accessibility.score));
    accessibility.push(access);
    const lab = (audit: keyof z.infer<typeof report>['audits'], digits = 0): string =>
      spread(
        rounds.map(({ audits }) => audits[audit].numericValue),
        digits,
      );
    rows.push([
      page === '' ? '/' : page,
      form,
      spread(ofPage),
      plain(access),
      lab('first-contentful-paint'),
      lab('largest-contentful-paint'),
      lab('total-blocking-time'),
      lab('cumulative-layout-shift', 3),
    ]);
  }
  compare(`performance on a ${form}, the lowest page`, [Math.min(...performance)], { atLeast: 95 });
  compare(`accessibility on a ${form}, the lowest page`, [Math.min(...accessibility)], { atLeast: 95 });
}
printTable(
  `Pages by ${LIGHTHOUSE}, ${ROUNDS} rounds`,
  [
    'page',
    'as',
    'performance',
    'accessibility',
    'first paint, ms',
    'largest paint, ms',
    'blocked, ms',
    'layout shift',
  ],
  rows,
);

await trunkline.endStreams();
server.close();
if ('closeAllConnections' in server) server.closeAllConnections();
await trunkline.stop();
removeDirectory(directory);

async function measure(url: string, options: readonly string[]): Promise<z.infer<typeof report>> {
  const output = join(directory, 'lighthouse.json');
  const chrome = '--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage';
  const categories = '--only-categories=performance,accessibility';
  await promisify(execFile)(
    'npx',
    [
      '--yes',
      LIGHTHOUSE,
      url,
      '--quiet',
      `--max-wait-for-load=${LOADED_MS}`,
      '--output=json',
      `--output-path=${output}`,
      categories,
      chrome,
      ...options,
    ],
    { env: { ...process.env, ...environment, CHROME_PATH: browser }, timeout: 300_000 },
  );
  return report.parse(JSON.parse(readFileSync(output, 'utf8')));
}
