import { createTrunkline } from '@trunkline/core';
import type { Storage } from '@trunkline/core';
import type { Completion } from '@trunkline/core/spi/storage';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { newId } from '../storages.ts';
import { createMeter, originOf, payload } from './plan.ts';
import type { Plan, SendFigures } from './plan.ts';

const ENQUEUED_AT_ONCE = 500;
const SECRET_KEY = 'a secret key for measuring with, long enough';

/** The service itself, from the claim to the outcome on disk. Everything is queued before the start. */
export async function trunklineSender(plan: Plan, create: () => Storage): Promise<SendFigures> {
  await queueAll(plan, create());
  const meter = createMeter(plan.webhooks);
  const sender = startable(plan, measured(create(), meter.sent), true);
  await sender.start();
  const figures = await meter.done;
  await sender.stop();
  return figures;
}

function startable(plan: Plan, storage: Storage, webhooks: boolean): ReturnType<typeof createTrunkline> {
  return createTrunkline({
    ...nodeRuntime({ webhooks: { tls: { ca: [plan.ca] } }, dns: { resolve: async () => ['127.0.0.1'] } }),
    storage,
    gateways: [createSandbox().gateway],
    secretKey: SECRET_KEY,
    urlPolicy: 'local',
    roles: { gateway: false, webhooks, maintenance: false },
  });
}

async function queueAll(plan: Plan, storage: Storage): Promise<void> {
  const trunkline = startable(plan, storage, false);
  await trunkline.start();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({
    name: 'Bench',
    plan: { webhookLimit: plan.hosts },
  });
  const { webhooks } = trunkline.workspace(workspaceId);
  const endpoints = await Promise.all(
    Array.from({ length: plan.hosts }, (_, index) =>
      webhooks.create({ url: `${originOf(index, plan)}/hook`, events: ['message.sent'] }),
    ),
  );
  const enqueue = (index: number): Promise<unknown> => {
    const now = Date.now();
    const id = newId('evt', now);
    const event = {
      id,
      workspaceId,
      type: 'message.sent',
      occurredAt: now * 1000,
      payload: payload(id),
    } as const;
    return storage.deliveries.enqueue(endpoints[index % plan.hosts]?.id ?? '', event);
  };
  for (let index = 0; index < plan.webhooks; index += ENQUEUED_AT_ONCE) {
    const batch = Math.min(ENQUEUED_AT_ONCE, plan.webhooks - index);
    await Promise.all(Array.from({ length: batch }, (_, at) => enqueue(index + at)));
  }
  await trunkline.stop();
}

/** Without the throttle per minute. Calls `written` for each outcome that is on disk. */
function measured(storage: Storage, written: () => void): Storage {
  const { deliveries } = storage;
  const count = ({ delivery }: Completion): void => {
    if (delivery.status !== 'success') throw new Error(`${delivery.id} came back: ${delivery.errorCode}.`);
    written();
  };
  return {
    ...storage,
    deliveries: {
      ...deliveries,
      claim: (claim) => deliveries.claim({ ...claim, startsPerWindow: 1_000_000 }),
      async complete(completions, now) {
        const complete = await deliveries.complete(completions, now);
        for (const completion of completions) count(completion);
        return complete;
      },
      async completeAndClaim(completions, claim) {
        const result = await deliveries.completeAndClaim(completions, {
          ...claim,
          startsPerWindow: 1_000_000,
        });
        for (const [index, completion] of completions.entries())
          if (result.completed[index] === 'written') count(completion);
        return result;
      },
    },
  };
}
