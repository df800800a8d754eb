// The program that `check-packages.mjs` bundles into one file and runs without node_modules: accepts a text and an
// image, sends them in the sandbox, and receives a webhook for each. Exits 0 only if all of this succeeds.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES, createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { createClient } from '@trunkline/http/client';
import { createReceiver } from '@trunkline/receiver';
import { nodeHandler } from '@trunkline/receiver/node';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';

/** A GIF of one pixel. The service recognises its type by the first bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const directory = await mkdtemp(join(tmpdir(), 'trunkline-bundle-'));
const sandbox = createSandbox();
const parts = {
  ...nodeRuntime({ mediaDirectory: join(directory, 'media') }),
  gateways: [sandbox.gateway],
  secretKey: 'a key of a program that is bundled',
  urlPolicy: 'local',
};
const trunkline = createTrunkline({ ...parts, storage: sqliteStorage({ path: join(directory, 'db') }) });
let secret = '';
const statuses = [];
const receiver = createReceiver({
  secret: () => secret,
  on: { 'message.sent': ({ data }) => statuses.push(`${data.message.type} ${data.message.status}`) },
});
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1');
await once(server, 'listening');

try {
  await trunkline.start();
  const workspace = await trunkline.admin.workspaces.create({ name: 'Bundled' });
  const { token } = await trunkline.admin.apiKeys.create({
    workspaceId: workspace.id,
    name: 'Bundle',
    scopes: SCOPES,
  });
  const app = createHttpApp(trunkline);
  const client = createClient({
    baseUrl: 'http://bundle.test/api/v1',
    apiKey: token,
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  });

  const { port } = server.address();
  const endpoint = { url: `http://127.0.0.1:${port}/`, events: ['message.sent'] };
  secret = good(await client.webhooks.create(endpoint)).secret;
  const { id } = good(await client.instances.create({ name: 'Bundle' }));
  good(await client.instances.connect(id));
  await until(async () => good(await client.instances.get(id)).status === 'qr_required');
  await sandbox.phone(id).scan();
  await until(async () => good(await client.instances.get(id)).status === 'connected');

  const to = '+4915112345678';
  good(await client.messages.send({ instance: id, to, type: 'text', text: 'Hello' }));
  const file = new Blob([PIXEL], { type: 'image/gif' });
  good(await client.messages.send({ instance: id, to, type: 'document', file }));
  await until(async () => statuses.length === 2);
  console.log(statuses.join(', '));
  await expectUnreachable(postgresStorage({ connectionString: 'postgres://nobody@127.0.0.1:1/none' }));
} finally {
  await trunkline.stop();
  server.close();
  server.closeAllConnections();
  await rm(directory, { recursive: true });
}

function good(result) {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.data;
}

async function until(holds) {
  const end = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`never: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The start must fail because `pg` cannot connect. */
async function expectUnreachable(storage) {
  const failure = await createTrunkline({ ...parts, storage })
    .start()
    .then(
      () => new Error('The program has started without a database.'),
      (error) => error,
    );
  if (!/ECONNREFUSED/.test(`${failure.message} ${failure.cause?.message} ${failure.cause?.code}`))
    throw failure;
}
