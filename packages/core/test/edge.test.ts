import { describe, expect, it } from 'vitest';
import { createTrunkline } from '../src/index.ts';
import type { TrunklineOptions } from '../src/index.ts';
import { edgeRuntime } from '../src/node/edge.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { testRuntime } from '../src/testing/index.ts';
import { SECRET_KEY } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const apiOnly = { gateway: false, webhooks: false, maintenance: false };
const options = (): TrunklineOptions => ({
  ...edgeRuntime({ dns: testRuntime().dns }),
  storage: memoryStorage(),
  gateways: [createSandbox().gateway],
  secretKey: SECRET_KEY,
});

describe('a process without sockets', () => {
  it('serves requests', async () => {
    const trunkline = createTrunkline({ ...options(), roles: apiOnly });
    await trunkline.start();
    const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
    const api = trunkline.workspace(id);
    const webhook = await api.webhooks.create({
      url: 'https://app.example.com/hook',
      events: ['message.sent'],
    });
    expect(await api.webhooks.test(webhook.id)).toMatchObject({ status: 'pending' });
    await trunkline.stop();
  });

  it('cannot send webhooks', () => {
    expect(() => createTrunkline(options())).toThrow(
      'createTrunkline: the option "webhookSender" is missing.',
    );
  });
});
