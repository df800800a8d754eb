import type { OutgoingMention } from '@trunkline/core/spi/gateway';
import { isLidUser, jidEncode } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import { userOf } from '../inbound/phone-number.ts';
import { knownAddresses } from './recipients.ts';
import type { Search } from './recipients.ts';

/** A text whose mentions have the form of WhatsApp: the user of a JID after the `@`, and the JID next to the text. */
interface MentioningText {
  readonly text: string;
  readonly contextInfo?: Pick<proto.IContextInfo, 'mentionedJid'>;
}

/**
 * Writes the mentions in a text. Phones show the name of a person only if the address is of the kind that the chat uses,
 * so the other one is used only if that is not known.
 */
export async function writeMentions(
  search: Search,
  { usesHiddenIds }: { readonly usesHiddenIds: boolean },
  {
    text,
    mentions = [],
  }: { readonly text: string; readonly mentions?: readonly OutgoingMention[] | undefined },
): Promise<MentioningText> {
  const jids = new Map<string, string>();
  for (const mention of mentions) {
    const jid = await addressOf(search, usesHiddenIds, mention);
    if (jid !== null) jids.set(mention.written, jid);
  }
  if (jids.size === 0) return { text };
  // Every mention is digits or an id, which a letter or a digit would make another one.
  const written = text.replaceAll(/@([0-9a-z_]+)/g, (whole, name: string) => {
    const user = userOf(jids.get(name) ?? '');
    return user === null ? whole : `@${user}`;
  });
  return { text: written, contextInfo: { mentionedJid: [...new Set(jids.values())] } };
}

async function addressOf(
  search: Search,
  usesHiddenIds: boolean,
  { number, networkId }: OutgoingMention,
): Promise<string | null> {
  // The network may register a number under other digits.
  const registered = number === null ? null : (await search.recipients.get(number))?.jid;
  const dialled = number === null ? null : jidEncode(number, 's.whatsapp.net');
  const contactNetworkId = networkId ?? registered ?? dialled;
  const known = await knownAddresses(search, { to: '', contactNetworkId });
  const jids = [known?.jid, known?.other].filter((jid) => typeof jid === 'string');
  return jids.find((jid) => (isLidUser(jid) === true) === usesHiddenIds) ?? jids[0] ?? null;
}
