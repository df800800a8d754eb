import type { PersonOnNetwork } from '@trunkline/core/spi/gateway';
import { sentMessageIdIn } from './sent-messages.ts';

/** Shorter runs of digits may be a device or a day. Numbers and hidden ids (LIDs) are longer. */
const USERS = /\d{7,}/g;

/**
 * Whether a stored value is about this person. The names of a person's keys, devices and pairs contain the person's
 * number or hidden id, and so do the names of a group's keys of that member. Copies of sent messages are found by the
 * messages' ids.
 */
export function isValueOfPerson(name: string, { numbers, networkIds, messageIds }: PersonOnNetwork): boolean {
  const sentId = sentMessageIdIn(name);
  if (sentId !== null) return messageIds.has(sentId);
  const users = name.match(USERS) ?? [];
  return users.some(
    (user) => numbers.has(user) || networkIds.has(`${user}@lid`) || networkIds.has(`${user}@s.whatsapp.net`),
  );
}
