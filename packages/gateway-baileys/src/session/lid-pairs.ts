import { decodeValue, encodeValue } from './json-value.ts';

/** The type of Baileys' keys that pair a hidden id (LID) with a phone number: two per pair, one for each direction. */
export const LID_PAIRS = 'lid-mapping';

/** A pair is erased after this many days without use. The person's next message restores it. */
const KEPT_DAYS = 180;
/** The date of a used pair is renewed only at this age, so that most uses cause no write. */
const RENEWED_AFTER_DAYS = 7;

const DAY_MS = 86_400_000;

/** Days since the epoch. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

interface LidPair {
  readonly user: string;
  readonly day: number;
}

export function encodeLidPair(user: unknown, today: number): Uint8Array {
  return encodeValue({ user, day: today });
}

export function decodeLidPair(bytes: Uint8Array): LidPair {
  return decodeValue(bytes);
}

export function isToBeRenewed({ day }: LidPair, today: number): boolean {
  return today - day >= RENEWED_AFTER_DAYS;
}

export function isUnused({ day }: LidPair, today: number): boolean {
  return today - day > KEPT_DAYS;
}

const REVERSE = '_reverse';

/** The id and the value under which the opposite direction of a pair may be stored. */
export function oppositeOf(id: string, { user }: LidPair): { readonly id: string; readonly user: string } {
  return id.endsWith(REVERSE)
    ? { id: user, user: id.slice(0, -REVERSE.length) }
    : { id: `${user}${REVERSE}`, user: id };
}
