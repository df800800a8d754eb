import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import type { Trunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { eventually, must } from '@trunkline/test-support';
import { sqliteStorage } from '../src/index.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { startTlsReceiver } from './support/tls-receiver.ts';
import type { TlsReceiver } from './support/tls-receiver.ts';

const BACKLOG = 1_000;
const QUIET = 20;
const NOISY = '/noisy';

it('an endpoint with a backlog gets 120 webhooks a minute, two concurrently, and keeps no other waiting', async () => {
  const receiver = await startTlsReceiver();
  const resume = receiver.pause(NOISY);
  const { admin, workspace } = await startSending(receiver);
  const { id } = await admin.workspaces.create({ name: 'Acme', plan: { webhookLimit: QUIET + 1 } });
  const { webhooks, deliveries } = workspace(id);
  const register = async (endpoint: string): Promise<string> => {
    const url = receiver.url(endpoint);
    const created = await webhooks.create({ url, events: ['message.sent'] });
    receiver.learnSecret(endpoint, created.secret);
    return created.id;
  };
  const noisy = await register(NOISY);
  const quiet = await Promise.all(Array.from({ length: QUIET }, (_, index) => register(`/quiet-${index}`)));
  await Promise.all(Array.from({ length: BACKLOG }, () => webhooks.test(noisy)));
  await untilArrived(receiver, NOISY, 2);

  // While requests to the noisy endpoint wait for a response, the quiet endpoints are served.
  await Promise.all(quiet.map((webhook) => webhooks.test(webhook)));
  for (const index of quiet.keys()) await untilArrived(receiver, `/quiet-${index}`, 1);
  expect(arrivedAt(receiver, NOISY)).toBe(2);

  resume();
  await untilArrived(receiver, NOISY, 120);

  // The quiet endpoints are also served when the noisy endpoint has used up its minute.
  await Promise.all(quiet.map((webhook) => webhooks.test(webhook)));
  for (const index of quiet.keys()) await untilArrived(receiver, `/quiet-${index}`, 2);
  expect(arrivedAt(receiver, NOISY)).toBe(120);
  const newest = must((await webhooks.deliveries(noisy, { limit: 1 })).data[0]);
  expect(await deliveries.get(newest.id)).toMatchObject({
    status: 'pending',
    attempts: 0,
    waiting: { reason: 'throttled' },
  });
  expect(receiver.mostAtOnce()).toBe(2);
  expect(receiver.refused).toEqual([]);
});

async function startSending(receiver: TlsReceiver): Promise<Trunkline> {
  const trunkline = createTrunkline({
    ...nodeRuntime({ webhooks: { tls: { ca: [receiver.ca] } } }),
    storage: sqliteStorage({ path: join(temporaryDirectory(), 'test.db') }),
    gateways: [createSandbox().gateway],
    secretKey: 'a secret key of at least 32 characters',
    urlPolicy: 'local',
    roles: { gateway: false, maintenance: false },
  });
  await trunkline.start();
  onTestFinished(() => trunkline.stop());
  return trunkline;
}

function arrivedAt({ requests }: TlsReceiver, path: string): number {
  return requests.filter((request) => request.path === path).length;
}

async function untilArrived(receiver: TlsReceiver, path: string, count: number): Promise<void> {
  await eventually(() => expect(arrivedAt(receiver, path)).toBe(count));
}
