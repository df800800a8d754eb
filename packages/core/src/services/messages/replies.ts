import type { Contact } from '../../domain/contact/contact.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { chatOf, isSameChat } from '../../domain/message/chat.ts';
import type { IncomingMessage } from '../../ports/gateway.ts';
import type { ServiceContext } from '../context.ts';

interface Reply {
  readonly incoming: Pick<IncomingMessage, 'replyTo' | 'from'>;
  readonly contact: Contact | null;
  readonly groupId: string | null;
}

/**
 * The id of the message that an inbound one replies to. Null if it is not a reply, or its target is not stored or not
 * in its chat: the author of a message chooses what it claims to reply to.
 */
export async function repliedMessage(
  { storage, networkIds }: ServiceContext,
  { id }: Pick<Instance, 'id'>,
  { incoming: { replyTo, from: number }, contact, groupId }: Reply,
): Promise<string | null> {
  if (replyTo === undefined || replyTo === null) return null;
  const ids = await networkIds.idsBehind(replyTo);
  const candidates = await storage.messages.findByNetworkId(id, replyTo, ids);
  const own = { groupId, contact, number };
  return candidates.find((message) => isSameChat(chatOf(message), own))?.id ?? null;
}
