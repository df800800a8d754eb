import type { PersonOnNetwork } from '@trunkline/core/spi/gateway';
import { sentMessageIdIn } from './sent-messages.ts';

/** Shorter runs of digits may be a device or a day. Numbers and hidden ids (LIDs) are longer. */
const USERS = /\d{7,}/g;

/**
 * Whether a stored value is about this person, judging by its name. Keys, devices and pairs of number and hidden id
 * have one of the person's names in theirs, keys of a group that of their member. Copies of sent messages are found by
 * id.
 */
export function isValueOfPerson(name: string, { numbers, networkIds, messageIds }: PersonOnNetwork): boolean {
  const sentId = sentMessageIdIn(name);
  if (sentId !== null) return messageIds.has(sentId);
  const users = name.match(USERS) ?? [];
  return users.some(
    (user) => numbers.has(user) || networkIds.has(`${user}@lid`) || networkIds.has(`${user}@s.whatsapp.net`),
  );
}
