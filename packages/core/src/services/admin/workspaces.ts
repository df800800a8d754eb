import * as z from 'zod';
import { checkSuspension } from '../../domain/api-key/authorization.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { DEFAULT_PLAN, MESSAGES_DAYS_MAX } from '../../domain/workspace/workspace.ts';
import type { Plan, Retention, Workspace } from '../../domain/workspace/workspace.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';

/** The fields of a new workspace. */
export interface NewWorkspace {
  /** The display name, 1 to 255 characters. */
  readonly name: string;
  /** Missing fields are as in `DEFAULT_PLAN`: active, no instance limit, 5 webhooks. */
  readonly plan?: Partial<Plan> | undefined;
}

const name = z.string().trim().min(1).max(255);
const count = z.int().min(0);
const plan = z.object({
  subscription: z.enum(['active', 'trial', 'past_due', 'none']),
  instanceLimit: count.nullable(),
  trialMessageLimit: count.nullable(),
  webhookLimit: count,
});

export async function createWorkspace(
  context: ServiceContext,
  input: NewWorkspace,
): Promise<Result<Workspace>> {
  const read = readInput(z.object({ name, plan: plan.partial().optional() }), input);
  if (!read.ok) return read;
  const now = context.clock.now();
  const workspace: Workspace = {
    id: context.newId('ten', now),
    name: read.value.name,
    plan: { ...DEFAULT_PLAN, ...given(read.value.plan ?? {}) },
    trialMessagesUsed: 0,
    suspendedAt: null,
    retention: null,
    createdAt: now,
  };
  await context.storage.workspaces.insert(workspace);
  return ok(workspace);
}

export async function renameWorkspace(
  context: ServiceContext,
  id: string,
  newName: string,
): Promise<Result<Workspace>> {
  const read = readInput(z.object({ name }), { name: newName });
  return read.ok ? found(await context.storage.workspaces.update(id, { name: read.value.name })) : read;
}

export async function setPlan(
  context: ServiceContext,
  id: string,
  changes: Partial<Plan>,
): Promise<Result<Workspace>> {
  const read = readInput(plan.partial(), changes);
  if (!read.ok) return read;
  return found(await context.storage.workspaces.update(id, { plan: given(read.value) }));
}

const messagesDays = z.union([z.int().min(1).max(MESSAGES_DAYS_MAX), z.literal('forever')], {
  error: `Must be a whole number of days from 1 to ${MESSAGES_DAYS_MAX}, or "forever".`,
});
const retention = z.strictObject({ messagesDays }).nullable();

export async function setRetention(
  context: ServiceContext,
  id: string,
  given: Retention | null,
): Promise<Result<Workspace>> {
  const read = readInput(retention, given);
  return read.ok ? found(await context.storage.workspaces.update(id, { retention: read.value })) : read;
}

/** Suspending a suspended workspace keeps its `suspendedAt`. */
export async function setSuspended(
  context: ServiceContext,
  id: string,
  suspended: boolean,
): Promise<Result<Workspace>> {
  const workspace = await context.storage.workspaces.find(id);
  if (!workspace) return noWorkspace();
  const suspendedAt = suspended ? (workspace.suspendedAt ?? context.clock.now()) : null;
  return found(await context.storage.workspaces.update(id, { suspendedAt }));
}

/** The workspace of a request, unless there is none or it is suspended. */
export async function findActiveWorkspace(
  { storage }: Pick<ServiceContext, 'storage'>,
  id: string,
): Promise<Result<Workspace>> {
  const workspace = await storage.workspaces.find(id);
  return workspace ? checkSuspension(workspace) : noWorkspace();
}

export function noWorkspace(): ReturnType<typeof refuse> {
  return refuse('NOT_FOUND', 'There is no such workspace.');
}

function found(workspace: Workspace | null): Result<Workspace> {
  return workspace ? ok(workspace) : noWorkspace();
}

/** Drops fields that are present but undefined, so that they change nothing. */
function given(changes: { readonly [Field in keyof Plan]?: Plan[Field] | undefined }): Partial<Plan> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
