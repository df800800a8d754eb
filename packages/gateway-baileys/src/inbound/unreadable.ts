import type { Clock } from '@trunkline/core/spi/gateway';
import { decodeValue, encodeValue } from '../session/json-value.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';
import { networkIdOf } from './network-id.ts';
import type { StanzaOrigin } from './stanza-message.ts';

const TYPE = 'unreadable';
/** The prefix of the names of stored unreadable messages, which are read when a connection is opened. */
export const UNREADABLE: string = keyName(TYPE, '');
/**
 * How long the sender's phone has to resend an unreadable message. A phone that is on takes seconds. A later resend is
 * still received as usual.
 */
const WAIT_MS = 300_000;
/** Limits unreadable messages, because a stranger can send any number. */
const MOST = 200;

/** Messages that could not be decrypted, stored by identity until they are decrypted or `WAIT_MS` has passed. */
export interface Unreadable {
  /** Resolves when the message is written, or dropped because too many are stored. */
  record(identity: string, origin: StanzaOrigin): Promise<void>;
  /** The message with this network id; null unless exactly one message has it. */
  find(networkId: string): Pick<UnreadableMessage, 'identity' | 'origin'> | null;
  /**
   * Returns the changes that erase these messages, to write with the keys that decrypted them; null if none is stored.
   */
  erasure(...identities: readonly string[]): Erasure | null;
  /**
   * Calls `heard` for each message, starting with those of earlier connections, and `dropped` for each one over the
   * limit.
   */
  listen(heard: (message: UnreadableMessage) => void, dropped: () => void): void;
  has(identity: string): boolean;
  /** The origins of the messages that earlier connections left, by identity. */
  readonly left: ReadonlyMap<string, StanzaOrigin>;
  /** Deletes a message that has been reported as undecryptable. */
  erase(identity: string): Promise<void>;
}

/** Deletions of values of our own type, by identity, in the form of Signal keys. */
type Erasure = Readonly<Record<typeof TYPE, Readonly<Record<string, null>>>>;

export interface UnreadableMessage {
  readonly identity: string;
  readonly origin: StanzaOrigin;
  readonly waitMs: number;
}

interface StoredOrigin extends StanzaOrigin {
  /** When the message arrived, in epoch milliseconds. */
  readonly since: number;
}

export function createUnreadable(values: SessionValues, clock: Clock): Unreadable {
  const left = new Map(
    values.resident.names(UNREADABLE).flatMap((name) => {
      const bytes = values.resident.get(name);
      return bytes ? [[name.slice(UNREADABLE.length), decodeValue<StoredOrigin>(bytes)] as const] : [];
    }),
  );
  const known = new Set(left.keys());
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
    // If the erasure cannot be written, the connection ends and this state is discarded.
    erasure(...identities) {
      const erased = identities.filter((identity) => known.delete(identity));
      if (erased.length === 0) return null;
      return { [TYPE]: Object.fromEntries(erased.map((identity) => [identity, null])) };
    },
    listen(heard, dropped) {
      drop = dropped;
      hear = (identity, { since, ...origin }) => {
        // A clock that was wrong at the arrival must not prolong the wait.
        const waitMs = Math.min(Math.max(0, since + WAIT_MS - clock.now()), WAIT_MS);
        heard({ identity, origin, waitMs });
      };
      for (const [identity, origin] of left) hear(identity, origin);
    },
    has: (identity) => known.has(identity),
    left,
    async erase(identity) {
      if (known.delete(identity)) await values.save(new Map([[UNREADABLE + identity, null]]));
    },
  };
}
