import { randomBytes } from 'node:crypto';
import { seconds } from '../stanza.ts';

const WEEK_MS: number = 7 * 86_400_000;
/** How many weeks a token is accepted, including the week in which it was given. */
const WEEKS = 4;

export interface TrustToken {
  readonly bytes: Buffer;
  /** Seconds since the epoch. */
  readonly t: string;
}

interface GivenToken extends TrustToken {
  readonly week: number;
}

/**
 * The tokens by which a person lets accounts write. The network accepts a token in the week in which it was given and
 * in the three weeks after; weeks are counted from the epoch.
 */
export class TrustTokens {
  readonly #given = new Map<string, readonly GivenToken[]>();

  give(phoneNumber: string, givenAt: number): TrustToken {
    const token = { bytes: randomBytes(34), t: seconds(givenAt), week: weekOf(givenAt) };
    this.#given.set(phoneNumber, [...this.#of(phoneNumber), token]);
    return token;
  }

  /** Whether the account has been given a token this week. */
  isCurrent(phoneNumber: string, now: number): boolean {
    return this.#of(phoneNumber).some(({ week }) => week === weekOf(now));
  }

  accept(phoneNumber: string, bytes: Uint8Array, now: number): boolean {
    return this.#of(phoneNumber).some(
      (token) => token.bytes.equals(bytes) && token.week > weekOf(now) - WEEKS,
    );
  }

  #of(phoneNumber: string): readonly GivenToken[] {
    return this.#given.get(phoneNumber) ?? [];
  }
}

function weekOf(milliseconds: number): number {
  return Math.floor(milliseconds / WEEK_MS);
}
