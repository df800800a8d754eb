// Handles events as the subscription "orders" and prints the id and the attempt of each, until its parent stops it. If
// asked to hang, it never finishes an event. Its clock is ahead by the given time.
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '../../../src/index.ts';
import { print, waitForParent } from './parent.ts';

const [, , path = '', hangs = 'no', aheadMs = '0'] = process.argv;
const { clock, ...runtime } = nodeRuntime();
const trunkline = createTrunkline({
  ...runtime,
  clock: { ...clock, now: () => clock.now() + Number(aheadMs) },
  storage: sqliteStorage({ path }),
  gateways: [createSandbox().gateway],
  secretKey: 'a secret key of at least 32 characters',
  roles: { api: false, gateway: false, webhooks: false, maintenance: false },
});
trunkline.on(
  'message.received',
  async ({ id }, { attempt }) => {
    await print(`${id} ${attempt}`);
    if (hangs === 'hang') await new Promise(() => {});
  },
  { name: 'orders' },
);
await trunkline.start();
await waitForParent();
await trunkline.stop();
