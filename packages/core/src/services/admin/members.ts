import * as z from 'zod';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { Member } from '../../domain/workspace/workspace.ts';
import { readInput } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { noWorkspace } from './workspaces.ts';

/** The fields of a new member. */
export interface NewMember {
  /** `ten_…` */
  readonly workspaceId: string;
  /** An email address of at most 320 characters. */
  readonly email: string;
  /** Whether the address is known to be the member's. Default false. */
  readonly emailVerified?: boolean | undefined;
  /** Whether the member gets the notifications about webhooks and instances. Default false. */
  readonly administersWebhooks?: boolean | undefined;
}

const memberFields = z.object({
  email: z.email().max(320),
  emailVerified: z.boolean(),
  administersWebhooks: z.boolean(),
});
const newMember = memberFields.partial({ emailVerified: true, administersWebhooks: true });

export async function createMember(context: ServiceContext, input: NewMember): Promise<Result<Member>> {
  const read = readInput(newMember, input);
  if (!read.ok) return read;
  if (!(await context.storage.workspaces.find(input.workspaceId))) return noWorkspace();
  const now = context.clock.now();
  const member: Member = {
    id: context.newId('mem', now),
    workspaceId: input.workspaceId,
    email: read.value.email,
    emailVerified: read.value.emailVerified ?? false,
    administersWebhooks: read.value.administersWebhooks ?? false,
    createdAt: now,
  };
  await context.storage.workspaces.insertMember(member);
  return ok(member);
}

export async function updateMember(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  changes: Partial<Pick<Member, 'email' | 'emailVerified' | 'administersWebhooks'>>,
): Promise<Result<Member>> {
  const read = readInput(memberFields.partial(), changes);
  if (!read.ok) return read;
  const given = Object.fromEntries(Object.entries(read.value).filter(([, value]) => value !== undefined));
  const member = await context.storage.workspaces.updateMember(workspaceId, id, given);
  return member ? ok(member) : noMember();
}

export async function deleteMember(
  context: ServiceContext,
  workspaceId: string,
  id: string,
): Promise<Result<true>> {
  const deleted = await context.storage.workspaces.deleteMember(workspaceId, id, context.clock.now());
  return deleted ? ok(true) : noMember();
}

export function noMember(): ReturnType<typeof refuse> {
  return refuse('NOT_FOUND', 'There is no such member in this workspace.');
}
