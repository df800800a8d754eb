import type { Group } from '../../domain/instance/group.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from './find-instance.ts';

export async function listGroups(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Result<readonly Group[]>> {
  const found = await findInstance(context, workspaceId, id);
  return found.ok ? ok(await context.storage.instances.listGroups(workspaceId, id)) : found;
}
