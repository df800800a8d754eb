import { afterAll, expect, it, onTestFinished } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { createTrunkline } from '../src/index.ts';
import type { DeliveryDetailResource } from '../src/index.ts';
import { nodeDnsResolver, nodeRuntime } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { startNameServer } from './node/name-server.ts';
import { Servers, respondOk } from './node/servers.ts';
import { SECRET_KEY, only } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const servers = new Servers();
afterAll(() => servers.close());

it('a name that comes to mean an address within is asked for once for each attempt, and sent nothing', async () => {
  const names = await startNameServer();
  const receiver = await servers.raw(respondOk);
  names.reply('hooks.test', ['127.0.0.1']);
  const trunkline = createTrunkline({
    ...nodeRuntime({ dns: nodeDnsResolver({ servers: [names.address] }) }),
    storage: memoryStorage(),
    gateways: [createSandbox().gateway],
    secretKey: SECRET_KEY,
    // Allows loopback addresses, but no other private ones.
    urlPolicy: 'local',
    roles: only('api', 'webhooks'),
  });
  await trunkline.start();
  onTestFinished(() => trunkline.stop());
  const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const { webhooks, deliveries } = trunkline.workspace(id);
  const url = `http://hooks.test:${receiver.port}/`;
  const webhook = await webhooks.create({ url, events: ['message.sent'] });
  const attempted = async (): Promise<DeliveryDetailResource> => {
    const { id: delivery } = await webhooks.test(webhook.id);
    return eventually(async () => {
      const detail = await deliveries.get(delivery);
      expect(detail.attempts).toBe(1);
      return detail;
    });
  };

  expect(await attempted()).toMatchObject({ status: 'success', error_code: null });
  for (const address of ['10.0.0.1', '169.254.169.254', '::ffff:10.0.0.1', 'fd00::1']) {
    names.reply('hooks.test', ['127.0.0.1', address]);
    expect(await attempted()).toMatchObject({ status: 'failed', error_code: 'UNSAFE_URL' });
  }
  // One lookup on create, and one for each attempt.
  expect(names.asked.filter((question) => question.startsWith('A '))).toHaveLength(6);
  expect(receiver.connections).toBe(1);
  await expect(webhooks.create({ url, events: ['message.sent'] })).rejects.toMatchObject({
    code: 'INVALID_WEBHOOK_URL',
  });
});
