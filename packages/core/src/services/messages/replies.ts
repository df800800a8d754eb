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
 * Returns the id of the message that a reported message replies to. Null if the message is not a reply, or
 * its target is not stored or is in another chat, because authors choose what their messages claim to reply
 * to.
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
