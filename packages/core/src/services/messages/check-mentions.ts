import { isId } from '../../domain/id.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { invalid } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { checkSendable } from '../media/check-sendable.ts';
import type { Owner } from './check-recipient.ts';

/** Checks that the instance can mention people, and that it knows the contacts among them. */
export async function checkMentions(
  context: ServiceContext,
  instance: Owner,
  mentions: readonly string[],
): Promise<Result<true>> {
  if (mentions.length === 0) return ok(true);
  const sendable = checkSendable(context, ['mentions'], instance);
  if (!sendable.ok) return sendable;
  for (const mention of mentions) {
    if (/^[0-9]/.test(mention)) continue;
    const known = isId('con', mention)
      ? await context.storage.contacts.find(instance.workspaceId, instance.id, mention)
      : null;
    if (!known) return invalid({ mentions: [`The instance knows no contact ${mention.slice(0, 40)}.`] });
  }
  return ok(true);
}
