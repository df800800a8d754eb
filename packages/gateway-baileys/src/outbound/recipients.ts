import type { ChatAddress, ContactReport } from '@trunkline/core/spi/gateway';
import {
  isLidUser,
  jidDecode,
  jidEncode,
  jidNormalizedUser,
  USyncQuery,
  USyncUser,
} from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import type Keyv from 'keyv';
import { contactReport, learnedLid } from '../inbound/contact-report.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';
import { ownKeys } from '../session/signal-keys.ts';
import { boundedCache } from '../socket/socket-caches.ts';

const MINUTE = 60_000;
const HOUR: number = 60 * MINUTE;
/** How many numbers each instance remembers. */
const REMEMBERED = 5_000;
const FOUND_MS: number = 24 * HOUR;
const NOT_FOUND_MS: number = 10 * MINUTE;

interface Found {
  /** The number's JID, whose digits may differ from the number. Null if the number is not on WhatsApp. */
  readonly jid: string | null;
}

/** The JIDs of numbers, as the network recently reported them. */
export type RecipientCache = Keyv<Found>;

export function recipientCache(): RecipientCache {
  return boundedCache(REMEMBERED, FOUND_MS);
}

export interface Search {
  readonly socket: WASocket;
  readonly recipients: RecipientCache;
  readonly values: Pick<SessionValues, 'read'>;
}

/** A person's two addresses: a hidden id (LID) and a number. */
export interface Addresses {
  /** The address to try first. */
  readonly jid: string;
  /** The other address; null if unknown. */
  readonly other: string | null;
}

/**
 * Finds a recipient's addresses; null if the number is not on WhatsApp. WhatsApp moves contacts from numbers to hidden
 * ids (LIDs), and then refuses to deliver to the number, so the hidden id comes first unless only the number has
 * worked. Rejects if a needed query fails.
 */
export function findAddresses(search: Search, person: Person): Promise<Addresses | null> {
  return addressesOf(search, person, { findNumber, hiddenIdOf });
}

/** The addresses of a recipient as far as they are known without a query; null if none is. */
export function knownAddresses(search: Search, person: Person): Promise<Addresses | null> {
  return addressesOf(search, person, {
    findNumber: async ({ recipients }, digits) => (await recipients.get(digits))?.jid ?? null,
    hiddenIdOf: async (socket, number) => (await learnedLid(socket, number)) ?? null,
  });
}

type Person = Pick<ChatAddress, 'to' | 'contactNetworkId'>;

interface Questions {
  findNumber(search: Search, digits: string): Promise<string | null>;
  hiddenIdOf(socket: WASocket, number: string): Promise<string | null>;
}

async function addressesOf(
  search: Search,
  { to, contactNetworkId }: Person,
  questions: Questions,
): Promise<Addresses | null> {
  const { socket, values } = search;
  const { lidMapping } = socket.signalRepository;
  const named = contactNetworkId ? jidNormalizedUser(contactNetworkId) : null;
  const isHidden = named !== null && isLidUser(named);
  const number = isHidden
    ? normalized(await lidMapping.getPNForLID(named))
    : (named ?? (await questions.findNumber(search, to)));
  const lid = isHidden ? named : number && (await questions.hiddenIdOf(socket, number));
  if (lid === null) return number === null ? null : { jid: number, other: null };
  if (number === null) return { jid: lid, other: null };
  return (await worksByNumber(values, lid)) ? { jid: number, other: lid } : { jid: lid, other: number };
}

/**
 * The recipient, if WhatsApp registers them under a number other than the one dialled, for example without Brazil's
 * ninth digit, Mexico's 1 or Argentina's 9; otherwise null.
 */
export async function registeredElsewhere(
  socket: WASocket,
  { to, contactNetworkId }: Person,
  { jid, other }: Addresses,
): Promise<ContactReport | null> {
  if (contactNetworkId || [jid, other].some((name) => name === jidEncode(to, 's.whatsapp.net'))) return null;
  return contactReport(socket, { jids: [jid, other] });
}

/** Stores that `jid` works, after the network has refused `other`. */
export async function rememberAddress(socket: WASocket, { jid, other }: Addresses): Promise<void> {
  const lid = [jid, other].find((name) => name !== null && isLidUser(name));
  if (!lid) return;
  // Mark only a person who was reached by number: by default, the hidden id is tried first.
  await socket.authState.keys.set(ownKeys({ [TYPE]: { [userOf(lid)]: isLidUser(jid) ? null : true } }));
}

const TYPE = 'written-by-number';

async function worksByNumber(values: Search['values'], lid: string): Promise<boolean> {
  const name = keyName(TYPE, userOf(lid));
  return (await values.read([name])).has(name);
}

async function findNumber({ socket, recipients }: Search, digits: string): Promise<string | null> {
  const cached = await recipients.get(digits);
  if (cached) return cached.jid;
  const response = await socket.onWhatsApp(digits);
  if (!response) throw new Error('WhatsApp did not say whether it knows the number of the recipient.');
  const jid = response.find(({ exists }) => exists)?.jid ?? null;
  await rememberNumber(recipients, digits, jid);
  return jid;
}

/** `jid` is null if the number is not on WhatsApp. */
export async function rememberNumber(
  recipients: RecipientCache,
  digits: string,
  jid: string | null,
): Promise<void> {
  await recipients.set(digits, { jid }, jid === null ? NOT_FOUND_MS : FOUND_MS);
}

/** Rejects if there is no response, which Baileys' own lookup takes for one without a hidden id. */
async function hiddenIdOf(socket: WASocket, number: string): Promise<string | null> {
  const learned = await learnedLid(socket, number);
  if (learned) return learned;
  const query = new USyncQuery().withLIDProtocol().withContext('background');
  const response = await socket.executeUSyncQuery(query.withUser(new USyncUser().withId(number)));
  if (!response) throw new Error('WhatsApp did not say whether the recipient has a hidden id.');
  const lid = response.list.map((person) => person['lid']).find((found) => typeof found === 'string');
  if (lid === undefined) return null;
  await socket.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn: number }]);
  return jidNormalizedUser(lid);
}

function normalized(jid: string | null): string | null {
  return jid === null ? null : jidNormalizedUser(jid);
}

function userOf(jid: string): string {
  return jidDecode(jid)?.user ?? jid;
}
