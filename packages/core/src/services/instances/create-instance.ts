import { defaultInstanceName } from '../../domain/instance/instance-name.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { checkMayCreateInstance } from '../../domain/workspace/plan-rules.ts';
import { instanceInput } from '../../inputs/instances.ts';
import { readInput } from '../../inputs/read-input.ts';
import { noWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';

export async function createInstance(
  context: ServiceContext,
  workspaceId: string,
  input: unknown,
): Promise<Result<Instance>> {
  const read = readInput(instanceInput, input);
  if (!read.ok) return read;
  const workspace = await context.storage.workspaces.find(workspaceId);
  if (!workspace) return noWorkspace();
  const allowed = checkMayCreateInstance(workspace.plan);
  if (!allowed.ok) return allowed;

  const now = context.clock.now();
  const id = context.newId('ins', now);
  const instance: Instance = {
    id,
    workspaceId,
    name: read.value.name ?? defaultInstanceName(id),
    status: 'created',
    desired: 'stopped',
    phoneNumber: null,
    profileName: null,
    profilePictureUrl: null,
    lastError: null,
    droppedAt: null,
    qr: null,
    pairingNumber: null,
    operation: null,
    operationOutcome: null,
    logoutRefused: false,
    statusChangedAt: now,
    connectedAt: null,
    disconnectedAt: null,
    lastSeenAt: null,
    createdAt: now,
    updatedAt: now,
    version: 0,
  };
  const { instanceLimit } = workspace.plan;
  const inserted = await context.storage.instances.insert(instance, instanceLimit);
  return inserted === 'inserted'
    ? ok(instance)
    : refuse('INSTANCE_LIMIT_REACHED', `The plan allows ${instanceLimit} instances.`);
}
