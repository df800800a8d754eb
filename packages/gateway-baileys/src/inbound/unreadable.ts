import type { Clock } from '@trunkline/core/spi/gateway';
import { decodeValue, encodeValue } from '../session/json-value.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/signal-keys.ts';
import { networkIdOf } from './network-id.ts';
import type { StanzaOrigin } from './stanza-message.ts';

const TYPE = 'unreadable';
/** The prefix of the names under which they are stored: they are read when a connection is opened. */
export const UNREADABLE: string = keyName(TYPE, '');
/**
 * How long the sender's phone has to send an unreadable message again. Phones that are on take seconds. A message that
 * arrives later is received as usual.
 */
const WAIT_MS = 300_000;
/** A stranger can send any number of them. */
const MOST = 200;

/** Messages that could not be decrypted, stored by identity until they can be, or until their time is over. */
export interface Unreadable {
  /** Resolves when the message is written, or dropped because there are too many. */
  record(identity: string, origin: StanzaOrigin): Promise<void>;
  /** The message with this id of the network; null if there is none, or more than one. */
  find(networkId: string): Pick<UnreadableMessage, 'identity' | 'origin'> | null;
  /** The changes to write with the keys of messages that can be read now; null if none was unreadable. */
  erasure(...identities: readonly string[]): Erasure | null;
  /** Calls `heard` for each, those of an earlier connection first, and `dropped` for those over the limit. */
  listen(heard: (message: UnreadableMessage) => void, dropped: () => void): void;
  has(identity: string): boolean;
  /** Deletes a message that was reported, or read in another way. */
  erase(identity: string): Promise<void>;
}

/** A set of Signal keys, of a type of our own. */
type Erasure = Readonly<Record<typeof TYPE, Readonly<Record<string, null>>>>;

export interface UnreadableMessage {
  readonly identity: string;
  readonly origin: StanzaOrigin;
  /** How long it may still become readable. */
  readonly waitMs: number;
}

interface StoredOrigin extends StanzaOrigin {
  /** When it arrived, in epoch milliseconds. */
  readonly since: number;
}

export function createUnreadable(values: SessionValues, clock: Clock): Unreadable {
  const known = new Set(values.resident.names(UNREADABLE).map((name) => name.slice(UNREADABLE.length)));
  let hear: (identity: string, origin: StoredOrigin) => void = () => {};
  let drop = (): void => {};
  return {
    async record(identity, origin) {
      if (known.has(identity)) return;
      if (known.size >= MOST) return drop();
      known.add(identity);
      const stored = { ...origin, since: clock.now() };
      await values.save(new Map([[UNREADABLE + identity, encodeValue(stored)]]));
      hear(identity, stored);
    },
    find(networkId) {
      const found = [...known].flatMap((identity) => {
        const bytes = values.resident.get(UNREADABLE + identity);
        if (!identity.startsWith(networkId) || !bytes) return [];
        const { since: _since, ...origin } = decodeValue<StoredOrigin>(bytes);
        return networkIdOf(origin.attrs['id']) === networkId ? { identity, origin } : [];
      });
      return found.length === 1 ? (found[0] ?? null) : null;
    },
    // If this is not written, the connection ends, and with it this state.
    erasure(...identities) {
      const erased = identities.filter((identity) => known.delete(identity));
      if (erased.length === 0) return null;
      return { [TYPE]: Object.fromEntries(erased.map((identity) => [identity, null])) };
    },
    listen(heard, dropped) {
      drop = dropped;
      hear = (identity, { since, ...origin }) => {
        // A clock that was wrong at its arrival does not prolong the wait.
        const waitMs = Math.min(Math.max(0, since + WAIT_MS - clock.now()), WAIT_MS);
        heard({ identity, origin, waitMs });
      };
      for (const identity of known) {
        const bytes = values.resident.get(UNREADABLE + identity);
        if (bytes) hear(identity, decodeValue<StoredOrigin>(bytes));
      }
    },
    has: (identity) => known.has(identity),
    async erase(identity) {
      if (known.delete(identity)) await values.save(new Map([[UNREADABLE + identity, null]]));
    },
  };
}
