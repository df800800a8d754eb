import { parseRecipient } from '../../domain/message/recipient.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { checkMaySend } from '../../domain/workspace/plan-rules.ts';
import { typingInput } from '../../inputs/instances.ts';
import { readInput } from '../../inputs/read-input.ts';
import { findActiveWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from '../instances/instances.ts';
import { findAddress } from '../messages/check-recipient.ts';
import { callInstance, checkCallable } from './call-instance.ts';

/** Shows a chat that the instance is typing or recording, or no longer. Checks in the order in which a send does. */
export async function showTyping(
  context: ServiceContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  input: unknown,
): Promise<Result<true>> {
  const read = readInput(typingInput, input);
  if (!read.ok) return read;
  const { to, state } = read.value;
  const recipient = parseRecipient(to);
  if (!recipient.ok) return recipient;
  const workspace = await findActiveWorkspace(context, workspaceId);
  if (!workspace.ok) return workspace;
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return found;
  const instance = found.value;
  const chat = await findAddress(context, instance, recipient.value);
  if (!chat.ok) return chat;
  const allowed = checkMaySend(workspace.value.plan);
  if (!allowed.ok) return allowed;
  const callable = checkCallable(context, instance, 'typing');
  if (!callable.ok) return callable;
  const shown = await callInstance(context, instance, { kind: 'typing', chat: chat.value, state });
  return shown.ok ? ok(true) : shown;
}
