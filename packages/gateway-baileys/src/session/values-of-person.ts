import type { PersonOnNetwork } from '@trunkline/core/spi/gateway';
import { sentPollIdIn } from '../inbound/poll-secrets.ts';
import { sentMessageIdIn } from './sent-message-name.ts';

/** Numbers and hidden ids (LIDs) are at least this long. Shorter runs of digits may be a device or a day. */
const USERS = /\d{7,}/g;

/**
 * Whether a stored value is about this person. Names of keys contain the person's number or hidden id; sent messages
 * and polls are found by message id.
 */
export function isValueOfPerson(name: string, { numbers, networkIds, messageIds }: PersonOnNetwork): boolean {
  const sentId = sentMessageIdIn(name) ?? sentPollIdIn(name);
  if (sentId !== null) return messageIds.has(sentId);
  const users = name.match(USERS) ?? [];
  return users.some(
    (user) => numbers.has(user) || networkIds.has(`${user}@lid`) || networkIds.has(`${user}@s.whatsapp.net`),
  );
}
