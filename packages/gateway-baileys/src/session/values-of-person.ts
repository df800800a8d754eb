import type { PersonOnNetwork } from '@trunkline/core/spi/gateway';
import { sentMessageIdIn } from './sent-messages.ts';

/** A shorter run of digits may be a device, or a day. Numbers and hidden ids (LIDs) are longer. */
const USERS = /\d{7,}/g;

/**
 * Whether a stored value is about this person, by its name. That holds for their keys, devices, and pair of number and
 * hidden id, which have one of the two in their names, and for copies of messages sent to them. Keys of a group name
 * their member.
 */
export function isValueOfPerson(name: string, { numbers, networkIds, messageIds }: PersonOnNetwork): boolean {
  const sentId = sentMessageIdIn(name);
  if (sentId !== null) return messageIds.has(sentId);
  const users = name.match(USERS) ?? [];
  return users.some(
    (user) => numbers.has(user) || networkIds.has(`${user}@lid`) || networkIds.has(`${user}@s.whatsapp.net`),
  );
}
