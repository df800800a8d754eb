// A service on a simulated clock, with an endpoint that fails for two days; the warning goes to an SMTP server.
// Arguments: the database, the SMTP server, and how many minutes after the first start this process runs.
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { manualClock, recordingSender, REFUSED } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { silentLogger } from '@trunkline/core';
import { emailNotifier } from '../../../src/start/email-notifier.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const [path = '', smtpUrl = '', minutes = ''] = process.argv.slice(2);
const clock = manualClock(Date.UTC(2026, 0, 1) + Number(minutes) * MINUTE);
const sender = recordingSender();
sender.respond(() => REFUSED);
const trunkline = createTrunkline({
  ...nodeRuntime({ dns: { resolve: async () => ['93.184.215.14'] } }),
  clock,
  webhookSender: sender,
  storage: sqliteStorage({ path }),
  gateways: [createSandbox().gateway],
  secretKey: 'a-secret-key-of-more-than-32-characters',
  notifier: emailNotifier(smtpUrl, silentLogger),
  roles: { gateway: false },
});
await trunkline.start();
if (minutes === '0') await failForTwoDays();
await clock.advance(MINUTE);
// Keeps settling while the email is sent in real time.
setInterval(() => void clock.settle(), 10);

async function failForTwoDays(): Promise<void> {
  const { workspaces, members } = trunkline.admin;
  const { id: workspaceId } = await workspaces.create({ name: 'Acme' });
  const administrator = { workspaceId, administersWebhooks: true, emailVerified: true };
  await members.create({ ...administrator, email: 'ada@example.com' });
  await members.create({ ...administrator, email: 'grace@example.com' });
  await members.create({ ...administrator, email: 'unverified@example.com', emailVerified: false });
  await members.create({ ...administrator, email: 'visitor@example.com', administersWebhooks: false });
  const { webhooks } = trunkline.workspace(workspaceId);
  const { id } = await webhooks.create({ url: 'https://hooks.example.com/', events: ['message.sent'] });
  await webhooks.test(id);
  await clock.settle();
  // Skips most of the time between retries.
  for (let passed = 0; passed < 48 * HOUR; passed += HOUR / 2) {
    clock.jump(HOUR / 2 - 5_000);
    await clock.advance(5_000);
  }
}
