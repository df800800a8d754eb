import type { WASocket } from '@whiskeysockets/baileys';
import type Keyv from 'keyv';
import { boundedCache } from '../socket/socket-caches.ts';

const MINUTE = 60_000;
const HOUR: number = 60 * MINUTE;
/** Numbers remembered for each instance. */
const REMEMBERED = 5_000;
const FOUND_MS: number = 24 * HOUR;
const NOT_FOUND_MS: number = 10 * MINUTE;

interface Found {
  /** The network's name of the number: not always its digits. Null where it is not on WhatsApp. */
  readonly jid: string | null;
}

/** Whom a number belongs to, as the network said lately. */
export type RecipientCache = Keyv<Found>;

export function recipientCache(): RecipientCache {
  return boundedCache(REMEMBERED, FOUND_MS);
}

/** Asks the network for its name of a number; null where the number is not on WhatsApp. Rejects without a response. */
export async function findRecipient(
  socket: WASocket,
  cache: RecipientCache,
  digits: string,
): Promise<string | null> {
  const cached = await cache.get(digits);
  if (cached) return cached.jid;
  const response = await socket.onWhatsApp(digits);
  if (!response) throw new Error('WhatsApp did not say whether it knows the number of the recipient.');
  const jid = response.find(({ exists }) => exists)?.jid ?? null;
  await cache.set(digits, { jid }, jid === null ? NOT_FOUND_MS : FOUND_MS);
  return jid;
}
