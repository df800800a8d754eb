import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { inBatches } from '../batches.ts';
import { connectedInstance } from '../connected-instance.ts';
import { STORAGES } from '../storages.ts';
import { SECRET_KEY } from './plan.ts';
import type { ScalePlan } from './plan.ts';

const AT_ONCE = 200;

export interface Population {
  readonly instances: readonly Resident[];
}

export interface Resident {
  readonly id: string;
  readonly workspaceId: string;
}

/** Stores linked instances as a stopped cluster leaves them, and endpoints for their messages. */
export async function populate(plan: ScalePlan): Promise<Population> {
  const storage = STORAGES.postgres(plan.directory);
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage,
    gateways: [createSandbox().gateway],
    secretKey: SECRET_KEY,
    urlPolicy: 'local',
    roles: { gateway: false, webhooks: false, maintenance: false },
  });
  await trunkline.start();
  const workspaceIds: string[] = [];
  for (let index = 0; index < plan.workspaces; index += 1) {
    const webhookLimit = Math.ceil(plan.endpoints / plan.workspaces);
    const { id } = await trunkline.admin.workspaces.create({
      name: `Bench ${index}`,
      plan: { webhookLimit },
    });
    workspaceIds.push(id);
  }
  const workspaceOf = (index: number): string => workspaceIds[index % workspaceIds.length] ?? '';
  const instances = Array.from({ length: plan.instances }, (_, index) =>
    connectedInstance(workspaceOf(index)),
  );
  for (const batch of inBatches(instances, AT_ONCE)) {
    await Promise.all(batch.map((instance) => storage.instances.insert(instance, null)));
  }
  const endpoints = Array.from({ length: plan.endpoints }, (_, index) => index);
  for (const batch of inBatches(endpoints, AT_ONCE)) {
    await Promise.all(
      batch.map((index) =>
        trunkline
          .workspace(workspaceOf(index))
          .webhooks.create({ url: `${plan.receiver}/${index}`, events: ['message.sent'] }),
      ),
    );
  }
  await trunkline.stop();
  return { instances: instances.map(({ id, workspaceId }) => ({ id, workspaceId })) };
}
