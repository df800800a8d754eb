// Uses the package as an app does in a Next.js process. Sends a test webhook to the URL in its argument.
import { createSandbox } from '@trunkline/core/sandbox';
import { createNextTrunkline } from '@trunkline/nextjs';
import { sqliteStorage } from '@trunkline/storage-sqlite';

const [, , url = ''] = process.argv;
const { handlers, register, trunkline } = createNextTrunkline(() => ({
  storage: sqliteStorage({ path: 'trunkline.db' }),
  gateways: [createSandbox().gateway],
  secretKey: 'of the tests, with thirty-two characters',
  urlPolicy: 'local',
}));
await register();
const { admin, workspace } = await trunkline();
const { id } = await admin.workspaces.create({ name: 'Acme' });
const { webhooks } = workspace(id);
const webhook = await webhooks.create({ url, events: ['message.received'] });
await webhooks.test(webhook.id);

const request = async (): Promise<void> => {
  const { status } = await handlers.GET(new Request('http://localhost/api/v1/instances'));
  process.stdout.write(`a request gets ${status}\n`);
};
process.on('SIGTERM', () => void request());
