import type { Activity } from '@trunkline/core/spi/gateway';
import { isJidGroup } from '@whiskeysockets/baileys';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { contactReport, isMe } from './contact-report.ts';
import type { People } from './contact-report.ts';
import { momentOf } from './message-kinds.ts';
import { networkIdOf } from './network-id.ts';
import { childrenOf } from './stanza-message.ts';

/** The tags that announce a call: `offer_notice` if the call arrived while this device was not connected. */
const OFFERS = new Set(['offer', 'offer_notice']);

/** The id and the offer of a call; null if the stanza is about another event of a call, such as its end. */
export function offerIn(stanza: BinaryNode): { readonly id: string; readonly offer: BinaryNode } | null {
  const offer = childrenOf(stanza).find(({ tag }) => OFFERS.has(tag));
  const id = networkIdOf(offer?.attrs['call-id']);
  return offer && id ? { id, offer } : null;
}

/** Null if the stanza offers no call, or if our own phone made the call. */
export async function callActivity(people: People, stanza: BinaryNode): Promise<Activity | null> {
  const found = offerIn(stanza);
  if (!found) return null;
  const { id, offer } = found;
  const { attrs } = stanza;
  const from = attrs['from'];
  const caller = offer.attrs['call-creator'] ?? offer.attrs['from'] ?? (isJidGroup(from) ? undefined : from);
  if (isMe(people, caller)) return null;
  const group = offer.attrs['group-jid'] ?? (isJidGroup(from) ? from : undefined);
  return {
    kind: 'call',
    networkId: id,
    contact: await contactReport(people, {
      jids: [caller, offer.attrs['caller_pn']],
      name: attrs['notify'],
      username: offer.attrs['caller_username'] ?? attrs['username'],
    }),
    groupNetworkId: isJidGroup(group) ? (group ?? null) : null,
    video: childrenOf(offer).some(({ tag }) => tag === 'video'),
    at: momentOf(Number(attrs['t'] ?? 0) * 1_000),
  };
}
