import type { Instance } from '../../domain/instance/instance.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { instanceInput } from '../../inputs/instances.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from './find-instance.ts';

export async function renameInstance(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  input: unknown,
): Promise<Result<Instance>> {
  const read = readInput(instanceInput, input);
  if (!read.ok) return read;
  const { name } = read.value;
  for (;;) {
    const found = await findInstance(context, workspaceId, id);
    if (!found.ok || name === undefined || found.value.name === name) return found;
    const renamed = { ...found.value, name, updatedAt: context.clock.now() };
    const written = await context.storage.instances.write({ instance: renamed, event: null, lease: null });
    if (written.kind === 'written') return ok(written.instance);
  }
}
