import type { Clock } from '@trunkline/core/spi/gateway';
import { MESSAGE_SECRETS, isSecretExpired } from '../inbound/message-secrets.ts';
import { POLLS, isPollExpired } from '../inbound/poll-secrets.ts';
import { decodeValue } from './json-value.ts';
import { LID_PAIRS, dayOf, decodeLidPair, isUnused } from './lid-pairs.ts';
import { TOKENS } from './privacy-tokens.ts';
import { isSentLongAgo } from './sent-messages.ts';
import type { SessionValues } from './session-values.ts';
import { keyName } from './key-name.ts';

/** How many names are checked together. */
const PAGE = 500;
/** Long enough that pruning leaves the database idle most of the time. */
const BETWEEN_PAGES_MS = 1_000;
const BETWEEN_ROUNDS_MS = 86_400_000;

/** The position of the current round, which outlives a connection. */
export interface PruningProgress {
  /** The last name checked; null at the start of a round. */
  after: string | null;
  /** When the next page may be checked, by `clock.elapsed()`. */
  dueAt: number;
}

export function pruningProgress(): PruningProgress {
  return { after: null, dueAt: 0 };
}

interface Pruning {
  readonly values: SessionValues;
  readonly clock: Clock;
  readonly progress: PruningProgress;
  /** Waits that end with the connection. */
  readonly pauses: { pause(ms: number): Promise<void>; isOver(): boolean };
}

/** Erases unused values page by page, one round a day, until the connection ends. Rejects if a read or write fails. */
export async function pruneSession({ values, clock, progress, pauses }: Pruning): Promise<void> {
  for (;;) {
    await pauses.pause(Math.max(BETWEEN_PAGES_MS, progress.dueAt - clock.elapsed()));
    if (pauses.isOver()) return;
    const names = await values.names({ prefix: '', after: progress.after, limit: PAGE });
    await prunePage(values, names, dayOf(clock.now()));
    const isLast = names.length < PAGE;
    progress.after = isLast ? null : (names.at(-1) ?? null);
    progress.dueAt = clock.elapsed() + (isLast ? BETWEEN_ROUNDS_MS : 0);
  }
}

const PAIRS: string = keyName(LID_PAIRS, '');

async function prunePage(values: SessionValues, names: readonly string[], today: number): Promise<void> {
  const changes = new Map<string, Uint8Array | null>();
  for (const name of names) {
    if (isSentLongAgo(name, today)) changes.set(name, null);
  }
  const dated = [TOKENS, PAIRS, MESSAGE_SECRETS, POLLS];
  const stored = await values.read(names.filter((name) => dated.some((prefix) => name.startsWith(prefix))));
  // Do not await from here until the write, so that concurrent uses are written after it.
  for (const [name, bytes] of stored) {
    if (isToErase(name, bytes, today)) changes.set(name, null);
  }
  await values.save(changes);
}

function isToErase(name: string, bytes: Uint8Array, today: number): boolean {
  if (name.startsWith(TOKENS)) return isTokenExpired(decodeValue(bytes), today);
  if (name.startsWith(MESSAGE_SECRETS)) return isSecretExpired(bytes, today);
  if (name.startsWith(POLLS)) return isPollExpired(bytes, today);
  return isUnused(decodeLidPair(bytes), today);
}

/** How many days WhatsApp Web keeps a token of a trusted contact: four weeks, including the current one. */
const TOKEN_DAYS = 28;

/** When a contact's token was made, and when ours was last sent to them, in seconds since the epoch. */
interface TrustedContactToken {
  readonly timestamp?: string | number;
  readonly senderTimestamp?: string | number;
}

/** Baileys removes old tokens only while it shows the number as online, which this gateway never does. */
function isTokenExpired({ timestamp, senderTimestamp }: TrustedContactToken, today: number): boolean {
  const times = [timestamp, senderTimestamp].map(Number).filter(Number.isFinite);
  return times.length > 0 && times.every((seconds) => today - dayOf(seconds * 1_000) > TOKEN_DAYS);
}
