import type { Activity } from '@trunkline/core/spi/gateway';
import { isJidGroup, isLidUser, isPnUser } from '@whiskeysockets/baileys';
import type { BinaryNode, WAMessage } from '@whiskeysockets/baileys';
import { groupOf, sentAt } from './activity.ts';
import { contactOf } from './contact-report.ts';
import type { People } from './contact-report.ts';
import { networkIdOf } from './network-id.ts';
import { senderOf, withoutHosting } from './phone-number.ts';
import { childrenOf } from './stanza-message.ts';

/**
 * Why a message arrives without a ciphertext: it is for the phone only, for other devices only, or for an unknown
 * reason, so that the sender must be asked for it.
 */
type Unavailability = 'view_once' | 'for_others' | 'unknown';

const UNAVAILABLE: Readonly<Record<string, Unavailability>> = {
  view_once: 'view_once',
  view_once_unavailable_fanout: 'view_once',
  bot_unavailable_fanout: 'for_others',
  hosted_unavailable_fanout: 'for_others',
  sender_drop: 'for_others',
};

/** Returns null unless the stanza marks a message of a chat as unavailable and has no ciphertext. */
export function unavailabilityOf(stanza: BinaryNode): Unavailability | null {
  const from = withoutHosting(stanza.attrs['from']);
  if (!isJidGroup(from) && !isPnUser(from) && !isLidUser(from)) return null;
  const children = childrenOf(stanza);
  const unavailable = children.find(({ tag }) => tag === 'unavailable');
  if (!unavailable || children.some(({ tag }) => tag === 'enc')) return null;
  return UNAVAILABLE[unavailable.attrs['type'] ?? ''] ?? 'unknown';
}

/** Makes the report of a message that cannot be decrypted here. */
export async function undecryptable(
  people: People,
  message: WAMessage,
  reason: 'no_key' | 'view_once',
): Promise<Activity> {
  return {
    kind: 'undecryptable',
    networkId: networkIdOf(message.key.id),
    senderId: senderOf(message.key),
    groupNetworkId: groupOf(message),
    contact: await contactOf(people, message),
    sentAt: sentAt(message),
    reason,
  };
}
