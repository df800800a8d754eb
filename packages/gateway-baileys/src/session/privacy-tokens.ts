import { createHmac } from 'node:crypto';
import { isLidUser } from '@whiskeysockets/baileys';
import type { SaltChange } from '../history/shared-state.ts';
import { decodeValue, encodeValue } from './json-value.ts';
import { namePages } from './session-values.ts';
import type { SessionValues } from './session-values.ts';
import { keyName } from './key-name.ts';

/** A token that a person's phone gave the number, so that the number may write to the person. */
export interface PrivacyToken {
  /** The person's hidden id (LID), or the number if only that is known. */
  readonly jid: string;
  readonly token: Uint8Array;
  /** When the person gave the token, in seconds since the epoch. */
  readonly givenAt: number;
  /** When the number last gave the person a token; null if never, or unknown. */
  readonly ours: number | null;
}

/** A token as Baileys stores it. */
interface StoredToken {
  readonly token?: Uint8Array;
  readonly timestamp?: string | number;
  readonly senderTimestamp?: number;
}

/** The prefix of the names of stored tokens. */
export const TOKENS: string = keyName('tctoken', '');
const SALT: string = keyName('nct-salt', 'own');

/** Tokens count in their own week of the epoch and in the next three: whatsmeow's `tctoken.go`. */
const WEEK_SECONDS = 604_800;
const WEEKS = 4;

/** Whether WhatsApp still accepts the token. */
export function isTokenUsable(
  { token, givenAt }: Pick<PrivacyToken, 'token' | 'givenAt'>,
  now: number,
): boolean {
  const weeks = Math.floor(now / 1_000 / WEEK_SECONDS) - Math.floor(givenAt / WEEK_SECONDS);
  return token.length > 0 && weeks < WEEKS;
}

/** How many tokens of a number a history may fill up to. Tokens that people give later are stored in any case. */
const MOST_STORED = 10_000;
/** How many tokens are written together. */
const TOGETHER = 200;

/** Stores the tokens of a history, unless a newer token of the same person is stored. */
export async function storeTokens(
  values: Pick<SessionValues, 'read' | 'names' | 'save'>,
  tokens: readonly PrivacyToken[],
): Promise<void> {
  if (tokens.length === 0) return;
  let room = MOST_STORED - (await countTokens(values));
  for (let first = 0; first < tokens.length; first += TOGETHER) {
    const part = tokens.slice(first, first + TOGETHER);
    const stored = await values.read(part.map(({ jid }) => TOKENS + jid));
    // Do not await from here until the write, so that no newer token is overwritten.
    const changes = new Map<string, Uint8Array>();
    for (const token of part) {
      const name = TOKENS + token.jid;
      const bytes = stored.get(name);
      if (!bytes && room <= 0) continue;
      if (!bytes) room -= 1;
      const merged = mergedToken(bytes ? decodeValue<StoredToken>(bytes) : {}, token);
      if (merged) changes.set(name, encodeValue(merged));
    }
    await values.save(changes);
  }
}

async function countTokens(values: Pick<SessionValues, 'names'>): Promise<number> {
  let count = 0;
  for await (const page of namePages(values, TOKENS)) {
    count += page.length;
    if (count >= MOST_STORED) break;
  }
  return count;
}

/** Null if the stored token is as new. */
function mergedToken(stored: StoredToken, { token, givenAt, ours }: PrivacyToken): StoredToken | null {
  if (stored.token?.length && Number(stored.timestamp) >= givenAt) return null;
  const sentAt = Math.max(stored.senderTimestamp ?? 0, ours ?? 0);
  return {
    token: Buffer.from(token),
    timestamp: String(givenAt),
    ...(sentAt > 0 && { senderTimestamp: sentAt }),
  };
}

/** The account's salt, as it is stored. */
interface StoredSalt {
  readonly salt: Uint8Array | null;
  /** Whether the phone has removed the salt, so that a history does not bring it back. */
  readonly isRemoved: boolean;
  /** Up to which version the state that the account's devices share was read; 0 if never. */
  readonly version: number;
}

export async function readSalt(values: Pick<SessionValues, 'read'>): Promise<StoredSalt> {
  const bytes = (await values.read([SALT])).get(SALT);
  return bytes ? decodeValue<StoredSalt>(bytes) : { salt: null, isRemoved: false, version: 0 };
}

/** Stores the salt in a history, unless one is stored, or was removed. */
export async function storeSalt(
  values: Pick<SessionValues, 'read' | 'save'>,
  salt: Uint8Array,
): Promise<void> {
  const stored = await readSalt(values);
  if (stored.salt || stored.isRemoved) return;
  await values.save(new Map([[SALT, encodeValue({ ...stored, salt })]]));
}

/** Stores what a version of the shared state says; a change is null if it says nothing about the salt. */
export async function saveSalt(
  values: Pick<SessionValues, 'read' | 'save'>,
  { version, change }: { readonly version: number; readonly change: SaltChange | null },
): Promise<void> {
  const stored = await readSalt(values);
  if (!change && version === stored.version) return;
  const changed = change ? { salt: change.salt, isRemoved: change.salt === null } : {};
  await values.save(new Map([[SALT, encodeValue({ ...stored, ...changed, version })]]));
}

/** A person's two addresses; null for one that is unknown. */
interface PersonAddresses {
  readonly lid: string | null;
  readonly number: string | null;
}

/**
 * Whether a token allows the instance to write to the person. A token that was stored under the number, before the
 * hidden id was known, is moved to the hidden id, because Baileys looks for it there.
 */
export async function findToken(
  values: Pick<SessionValues, 'read' | 'save'>,
  { lid, number }: PersonAddresses,
  now: number,
): Promise<boolean> {
  const names = [lid, number].flatMap((jid) => (jid === null ? [] : [TOKENS + jid]));
  const stored = await values.read(names);
  const [byLid, byNumber] = [lid, number].map((jid) => tokenIn(stored.get(TOKENS + String(jid)), jid));
  if (lid !== null && byNumber) {
    const known = stored.get(TOKENS + lid);
    const moved = mergedToken(known ? decodeValue<StoredToken>(known) : {}, byNumber);
    await values.save(
      new Map([
        [TOKENS + byNumber.jid, null],
        ...(moved ? [[TOKENS + lid, encodeValue(moved)] as const] : []),
      ]),
    );
  }
  return [byLid, byNumber].some((token) => token && isTokenUsable(token, now));
}

function tokenIn(bytes: Uint8Array | undefined, jid: string | null): PrivacyToken | null {
  if (!bytes || jid === null) return null;
  const { token, timestamp, senderTimestamp } = decodeValue<StoredToken>(bytes);
  if (!token?.length) return null;
  return { jid, token, givenAt: Number(timestamp), ours: senderTimestamp ?? null };
}

/**
 * The token by which WhatsApp recognises that the account knows the person, although the person has given no token:
 * whatsmeow's `cstoken.go`. Null if the account's salt or the hidden id is unknown.
 */
export async function contactToken(
  values: Pick<SessionValues, 'read'>,
  lid: string | null,
): Promise<Uint8Array | null> {
  if (lid === null || !isLidUser(lid)) return null;
  const { salt } = await readSalt(values);
  return salt ? createHmac('sha256', salt).update(lid).digest() : null;
}
