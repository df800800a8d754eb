// Sends webhooks, with a clock that is ahead by the given time. Once its parent says so, queues three events for each
// endpoint, and prints the ids of their deliveries and `queued`; without a kill point, it stops instead. At a kill
// point after a claim or a response, it prints `here` and hangs, each time.
import { flushCompileCache } from 'node:module';
import { createTrunkline } from '@trunkline/core';
import type { Storage } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '../../../src/index.ts';
import { SECRET_KEY } from '../kill-points.ts';
import { print, waitForParent } from './parent.ts';

const [path = '', ca = '', workspaceId = '', aheadMs = '', point = ''] = process.argv.slice(2);
const EVENTS_PER_ENDPOINT = 3;

flushCompileCache();
let killed = false;
const queued = Promise.withResolvers<void>();

/** Once everything is queued, prints `here`. Hangs until the process is killed. */
async function waitToBeKilled(): Promise<never> {
  await queued.promise;
  await print('here');
  return new Promise(() => {});
}

function stayingAt(storage: Storage): Storage {
  const { deliveries } = storage;
  return {
    ...storage,
    deliveries: {
      ...deliveries,
      async claim(claim) {
        const result = await deliveries.claim(claim);
        const isThere = killed && point === 'after the claim' && result.claimed.length > 0;
        return isThere ? waitToBeKilled() : result;
      },
      async complete(completions, now) {
        if (killed && point === 'after the response') return waitToBeKilled();
        return deliveries.complete(completions, now);
      },
      async completeAndClaim(completions, claim) {
        if (killed && point === 'after the response') return waitToBeKilled();
        return deliveries.completeAndClaim(completions, claim);
      },
    },
  };
}

const runtime = nodeRuntime({ webhooks: { tls: { ca: [ca] } } });
const trunkline = createTrunkline({
  ...runtime,
  clock: { ...runtime.clock, now: () => runtime.clock.now() + Number(aheadMs) },
  storage: stayingAt(sqliteStorage({ path })),
  gateways: [createSandbox().gateway],
  secretKey: SECRET_KEY,
  urlPolicy: 'local',
  roles: { gateway: false, maintenance: false },
});
await trunkline.start();
await waitForParent();
if (point === '') {
  await trunkline.stop();
} else {
  killed = true;
  const { webhooks } = trunkline.workspace(workspaceId);
  const { data: endpoints } = await webhooks.list();
  const tests = endpoints.flatMap(({ id }) => Array.from({ length: EVENTS_PER_ENDPOINT }, () => id));
  for (const { id } of await Promise.all(tests.map((id) => webhooks.test(id)))) await print(id);
  await print('queued');
  queued.resolve();
}
