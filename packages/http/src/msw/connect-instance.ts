import type { InstanceInput, InstanceResource, WorkspaceApi } from '@trunkline/core';
import type { Clock } from '@trunkline/core/spi/runtime';
import type { Sandbox } from '@trunkline/core/sandbox';

interface Parts {
  readonly workspace: WorkspaceApi;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
}

/** Creates an instance and has its phone scan the QR. */
export async function connectInstance(parts: Parts, input: InstanceInput): Promise<InstanceResource> {
  const { workspace, sandbox } = parts;
  const { id } = await workspace.instances.create(input);
  await workspace.instances.connect(id);
  await untilStatus(parts, id, 'qr_required');
  await sandbox.phone(id).scan();
  return untilStatus(parts, id, 'connected');
}

const LOOK_EVERY_MS = 5;

async function untilStatus(
  { workspace, clock }: Parts,
  id: string,
  status: InstanceResource['status'],
): Promise<InstanceResource> {
  for (;;) {
    const instance = await workspace.instances.get(id);
    if (instance.status === status) return instance;
    await new Promise<void>((resolve) => clock.setTimer(LOOK_EVERY_MS, resolve));
  }
}
