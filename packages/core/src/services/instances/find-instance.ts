import { isId } from '../../domain/id.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';

export async function findInstance(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<Instance>> {
  const instance = isId('ins', id) ? await context.storage.instances.find(workspaceId, id) : null;
  return instance ? ok(instance) : noInstance();
}

export function noInstance(): ReturnType<typeof refuse> {
  return refuse('INSTANCE_NOT_FOUND', 'There is no such instance in this workspace.');
}
