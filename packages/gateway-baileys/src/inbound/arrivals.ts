import type { Clock } from '@trunkline/core/spi/gateway';
import { decodeMessageNode, jidNormalizedUser, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import type { BinaryNode, WAMessage, WASocket } from '@whiskeysockets/baileys';
import QuickLRU from 'quick-lru';
import { decodeValue } from '../session/json-value.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/signal-keys.ts';
import { readContent } from './message-content.ts';
import { networkIdOf } from './network-id.ts';

const TYPE = 'arrival';
/** How the names of stored arrivals begin: they are read when a connection is opened. */
export const ARRIVALS: string = keyName(TYPE, '');
/** How long the erasure of what is stored elsewhere by now may wait for others, to go with them. */
const ERASE_AFTER_MS = 250;

/**
 * Messages that were decrypted and are not stored as messages yet. The network has got our acknowledgement, so this
 * is all that is left of them if the process ends now.
 */
export interface Arrivals {
  /** Sees every stanza before Baileys does, to know which message a ciphertext belongs to. */
  watch(socket: WASocket): void;
  /** An arrival, where the plaintext is of a kind that becomes a message: to be written together with the keys. */
  record(ciphertext: Uint8Array, plaintext: Uint8Array): RecordedArrival | null;
  /** It is written: whoever listens gets it now, which is sooner than by Baileys' events. */
  announce(arrival: RecordedArrival): void;
  /** Hears of what an earlier connection left, oldest first, and then of every arrival. */
  listen(me: Me | undefined, heard: (message: WAMessage) => void): void;
  /** Whether the listener has heard of it lately. */
  wasHeard(key: ArrivalKey): boolean;
  /** The message is stored, or will never be one. */
  complete(key: ArrivalKey): void;
  /** Erases what is completed. */
  flush(): Promise<void>;
}

interface RecordedArrival {
  /** A set of Signal keys, of a type of our own. */
  readonly keys: Readonly<Record<typeof TYPE, Readonly<Record<string, Arrival>>>>;
  readonly arrival: Arrival;
}

interface Me {
  readonly id: string;
  readonly lid?: string | undefined;
}

interface ArrivalKey {
  readonly id?: string | null | undefined;
  readonly remoteJid?: string | null | undefined;
  readonly participant?: string | null | undefined;
}

interface Arrival {
  readonly order: number;
  /** Those of the stanza. */
  readonly attrs: BinaryNode['attrs'];
  /** A `proto.Message`, encoded. */
  readonly message: Uint8Array;
}

export function createArrivals(values: SessionValues, clock: Clock): Arrivals {
  const stanzas = new WeakMap<Uint8Array, BinaryNode>();
  const completed = new Set<string>();
  /** Baileys reports them once more. */
  const heardOf = new QuickLRU<string, true>({ maxSize: 5_000 });
  let hear: (arrival: Arrival) => void = () => {};
  let cancelTimer: (() => void) | null = null;
  const stored = (): readonly (readonly [string, Arrival])[] =>
    values.resident
      .names(ARRIVALS)
      .flatMap((name) => {
        const bytes = values.resident.get(name);
        return bytes ? [[name, decodeValue<Arrival>(bytes)] as const] : [];
      })
      .toSorted(([, a], [, b]) => a.order - b.order);
  let order = (stored().at(-1)?.[1].order ?? 0) + 1;

  const flush = async (): Promise<void> => {
    cancelTimer?.();
    cancelTimer = null;
    const erased = [...completed].filter((name) => values.resident.get(name) !== undefined);
    completed.clear();
    await values.save(new Map(erased.map((name) => [name, null])));
  };

  return {
    watch(socket) {
      socket.ws.prependListener('CB:message', (stanza: BinaryNode) => {
        for (const { content } of children(stanza)) {
          if (content instanceof Uint8Array) stanzas.set(content, stanza);
        }
      });
    },
    record(ciphertext, plaintext) {
      const stanza = stanzas.get(ciphertext);
      const message = stanza && proto.Message.decode(unpadRandomMax16(plaintext));
      // A copy of what the phone's owner wrote has its text one level down, and is not for us.
      if (!message || readContent(message).kind !== 'content') return null;
      const { attrs } = stanza;
      const id = idOf({ id: attrs['id'], remoteJid: attrs['from'], participant: attrs['participant'] });
      const arrival = { order: order++, attrs, message: proto.Message.encode(message).finish() };
      return { keys: { [TYPE]: { [id]: arrival } }, arrival };
    },
    announce: ({ arrival }) => hear(arrival),
    listen(me, heard) {
      // Nothing is read before there is somebody whom it was written to.
      if (!me) return;
      hear = ({ attrs, message }) => {
        const { fullMessage } = decodeMessageNode({ tag: 'message', attrs }, me.id, me.lid ?? '');
        heardOf.set(idOf(fullMessage.key), true);
        heard({ ...fullMessage, message: proto.Message.decode(message) });
      };
      for (const [, arrival] of stored()) hear(arrival);
    },
    wasHeard: (key) => heardOf.has(idOf(key)),
    complete(key) {
      completed.add(ARRIVALS + idOf(key));
      // What does not get erased is stored once more after a restart, and found to be stored already.
      cancelTimer ??= clock.setTimer(ERASE_AFTER_MS, () => void flush().catch(() => undefined));
    },
    flush,
  };
}

function idOf({ id, remoteJid, participant }: ArrivalKey): string {
  // Baileys leaves the device out of a message's key.
  const chat = jidNormalizedUser(remoteJid ?? undefined);
  return `${networkIdOf(id)}/${chat}/${jidNormalizedUser(participant ?? undefined)}`;
}

function children({ content }: BinaryNode): readonly BinaryNode[] {
  return Array.isArray(content) ? content : [];
}
