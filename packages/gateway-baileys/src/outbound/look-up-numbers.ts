import type { NumberLookup } from '@trunkline/core/spi/gateway';
import { jidDecode, jidNormalizedUser, USyncQuery, USyncUser } from '@whiskeysockets/baileys';
import type { BinaryNode } from '@whiskeysockets/baileys';
import type { InTime } from '../socket/query-time.ts';
import { rememberNumber } from './recipients.ts';
import type { Search } from './recipients.ts';

interface Answer {
  /** The digits that were asked about; empty if WhatsApp did not repeat them. */
  readonly asked: string;
  readonly isOnNetwork: boolean;
}

type Protocol = USyncQuery['protocols'][number];

/**
 * Asks as Baileys' `onWhatsApp` does, but keeps the number that each answer repeats: WhatsApp may register a number
 * under other digits.
 */
const CONTACT: Protocol = {
  name: 'contact',
  getQueryElement: () => ({ tag: 'contact', attrs: {} }),
  getUserElement: ({ phone }) => ({ tag: 'contact', attrs: {}, content: phone ?? '' }),
  parser: ({ attrs, content }): Answer => ({
    asked: digitsIn(content),
    isOnNetwork: attrs['type'] === 'in',
  }),
};

/** Looks up numbers in one query. A message to one of them needs no lookup of its own for a while. */
export async function lookUpNumbers(
  { socket, recipients, inTime }: Pick<Search, 'socket' | 'recipients'> & { readonly inTime: InTime },
  numbers: readonly string[],
): Promise<readonly NumberLookup[]> {
  const query = new USyncQuery();
  query.protocols.push(CONTACT);
  for (const number of numbers) query.withUser(new USyncUser().withPhone(`+${number}`));
  const response = await inTime("WhatsApp's list of numbers", socket.executeUSyncQuery(query));
  if (!response) throw new Error('WhatsApp did not say whether it knows the numbers.');
  const jids = new Map<string, string>();
  for (const { id, contact } of response.list) {
    const { asked, isOnNetwork } = contact as Answer; // as CONTACT has read it
    if (isOnNetwork) jids.set(asked === '' ? (jidDecode(id)?.user ?? '') : asked, jidNormalizedUser(id));
  }
  const results = numbers.map((number) => ({ number, jid: jids.get(number) ?? null }));
  for (const { number, jid } of results) await rememberNumber(recipients, number, jid);
  return results.map(({ number, jid }) => ({
    number,
    isOnNetwork: jid !== null,
    registeredNumber: jid === null ? null : registered(jid),
  }));
}

/** Null if WhatsApp names the person by a hidden id. */
function registered(jid: string): string | null {
  const { user, server } = jidDecode(jid) ?? {};
  return server === 's.whatsapp.net' && user ? user : null;
}

function digitsIn(content: BinaryNode['content']): string {
  if (content === undefined || Array.isArray(content)) return '';
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
  return text.replace('+', '');
}
