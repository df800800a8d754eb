import type { Clock } from '@trunkline/core/spi/gateway';
import { proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import type { BinaryNode, WAMessage, WASocket } from '@whiskeysockets/baileys';
import QuickLRU from 'quick-lru';
import type { HistoryChanges, PendingHistory } from '../history/pending-history.ts';
import { decodeValue } from '../session/json-value.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';
import { readContent } from './message-content.ts';
import type { MessageSecrets } from './message-secrets.ts';
import { identityOf } from './message-identity.ts';
import type { MessageIdentity } from './message-identity.ts';
import { networkIdOf } from './network-id.ts';
import { resentIn } from './resent-messages.ts';
import { childrenOf, messageOf, originOf } from './stanza-message.ts';
import type { Me, StanzaOrigin } from './stanza-message.ts';
import { createUnreadable } from './unreadable.ts';
import type { Unreadable } from './unreadable.ts';

const TYPE = 'arrival';
/** The prefix of the names of stored arrivals, which are read when a connection is opened. */
export const ARRIVALS: string = keyName(TYPE, '');
/** How long a completed arrival may wait to be erased, so that erasures are batched. */
const ERASE_AFTER_MS = 250;

/**
 * Messages that were decrypted but are not stored as messages yet. The network may already have our acknowledgement, so
 * these arrivals may be the only copy.
 */
export interface Arrivals {
  /** Sees every message stanza before Baileys does, to find the stanza of a ciphertext. */
  watch(socket: WASocket): void;
  /** Returns the changes to write together with the keys that decrypted the message; null if there are none. */
  record(ciphertext: Uint8Array, plaintext: Uint8Array): Promise<RecordedArrival | null>;
  /** Records that a ciphertext could not be decrypted. Resolves when the record is written. */
  recordFailure(ciphertext: Uint8Array): Promise<void>;
  /** Notes that a ciphertext was read before, by this process or an earlier one. */
  noteRepeat(ciphertext: Uint8Array): void;
  /** Calls `repeated` once with each stanza of which a ciphertext was read before. */
  onRepeat(repeated: (stanza: BinaryNode) => void): void;
  /** Calls `heard` once with each stanza whose message could not be decrypted. */
  onFailure(heard: (stanza: BinaryNode) => void): void;
  /** Records that the stanza's message arrived without a ciphertext. Resolves when the record is written. */
  recordUnreadable(stanza: BinaryNode): Promise<void>;
  /** Passes a written arrival to the listener before Baileys emits it. */
  announce(arrival: RecordedArrival): void;
  /** Calls `heard` with each arrival that an earlier connection left, oldest first, and then with each new one. */
  listen(me: Me | undefined, heard: (message: WAMessage) => void): void;
  /** Whether `listen`'s callback got this message recently. */
  wasHeard(key: MessageIdentity): boolean;
  /** The key of the stanza's message if this process has read the message before; null otherwise. */
  readBefore(stanza: BinaryNode): WAMessage['key'] | null;
  /** Notes that the message is stored, or never will be. */
  complete(key: MessageIdentity): void;
  /** Erases the completed arrivals. */
  flush(): Promise<void>;
  /** The messages that could not be decrypted yet. */
  readonly unreadable: Unreadable;
}

interface RecordedArrival {
  /** Values of our own types, by type and id, which are stored like Signal keys. */
  readonly keys: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Empty if the message itself need not be stored. */
  readonly arrivals: readonly Arrival[];
  /** The part of the phone's history that the message announces. */
  readonly history?: HistoryChanges;
}

interface Arrival extends StanzaOrigin {
  readonly order: number;
  /** An encoded `proto.Message`. */
  readonly message: Uint8Array;
}

/**
 * The identities of messages that this process has read, because Baileys reports each again and the network may repeat
 * it.
 */
export type ReadMessages = QuickLRU<string, true>;

export function readMessages(): ReadMessages {
  return new QuickLRU({ maxSize: 5_000 });
}

interface ArrivalsParts {
  readonly values: SessionValues;
  readonly clock: Clock;
  readonly heardOf: ReadMessages;
  readonly secrets: readonly MessageSecrets[];
  readonly history: PendingHistory;
}

export function createArrivals({ values, clock, heardOf, secrets, history }: ArrivalsParts): Arrivals {
  const stanzas = new WeakMap<Uint8Array, BinaryNode>();
  const unreadable = createUnreadable(values, clock);
  const completed = new Set<string>();
  const failed = new WeakSet<BinaryNode>();
  const repeats = new WeakSet<BinaryNode>();
  let repeat: (stanza: BinaryNode) => void = () => {};
  let hearFailure: (stanza: BinaryNode) => void = () => {};
  let me: Me | null = null;
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

  const secretsOf: MessageSecrets['keep'] = (messages, account) =>
    Object.assign({}, ...secrets.map((one) => one.keep(messages, account))) as ReturnType<
      MessageSecrets['keep']
    >;

  const flush = async (): Promise<void> => {
    cancelTimer?.();
    cancelTimer = null;
    const erased = [...completed].filter((name) => values.resident.get(name) !== undefined);
    completed.clear();
    await values.save(new Map(erased.map((name) => [name, null])));
  };

  const recordUnreadable = async (stanza: BinaryNode): Promise<void> => {
    if (!me || stanza.attrs['category'] === 'peer') return;
    const origin = originOf(stanza);
    await unreadable.record(identityOf(messageOf(origin, me).key), origin);
  };

  /** Records only the resent messages that were missing. Baileys reports all others. */
  const recordResent = (opened: proto.IMessage, account: Me): RecordedArrival | null => {
    const found = resentIn(opened).flatMap(({ key, message }) => {
      const missing = message && unreadable.find(networkIdOf(key?.id));
      if (!missing) return [];
      const content = withoutCopy(message);
      return readContent(content).kind === 'other' ? [] : { ...missing, message: content };
    });
    if (found.length === 0) return null;
    const arrived = new Map<string, Arrival>();
    for (const { identity, origin, message } of found) {
      arrived.set(identity, { order: order++, ...origin, message: proto.Message.encode(message).finish() });
    }
    const keys = {
      [TYPE]: Object.fromEntries(arrived),
      ...unreadable.erasure(...arrived.keys()),
      ...secretsOf(found, account),
    };
    return { keys, arrivals: [...arrived.values()] };
  };

  /** Records what only our own phone sends, except what Baileys handles itself. */
  const recordOfPhone = (id: string, opened: proto.IMessage, account: Me): RecordedArrival | null => {
    const part = history.record(id, opened);
    return part ? { keys: part, arrivals: [], history: part } : recordResent(opened, account);
  };

  return {
    watch(socket) {
      socket.ws.prependListener('CB:message', (stanza: BinaryNode) => {
        for (const { content } of childrenOf(stanza)) {
          if (content instanceof Uint8Array) stanzas.set(content, stanza);
        }
      });
    },
    async record(ciphertext, plaintext) {
      const stanza = stanzas.get(ciphertext);
      if (!stanza || !me) return null;
      const opened = proto.Message.decode(unpadRandomMax16(plaintext));
      if (stanza.attrs['category'] === 'peer') {
        const { key } = messageOf(originOf(stanza), me);
        return key.fromMe && key.id ? recordOfPhone(key.id, opened, me) : null;
      }
      const origin = originOf(stanza);
      let message = withoutCopy(opened);
      for (const one of secrets) message = await one.open(origin, message, me);
      const read = readContent(message);
      // A stanza may contain a group's key before the first message encrypted with that key.
      if (read.kind === 'other' && read.name === 'senderKeyDistributionMessage') return null;
      const identity = identityOf(messageOf(origin, me).key);
      const readAtLast = unreadable.erasure(identity);
      if (read.kind === 'other') return readAtLast && { keys: readAtLast, arrivals: [] };
      const arrival = { order: order++, ...origin, message: proto.Message.encode(message).finish() };
      const keys = {
        [TYPE]: { [identity]: arrival },
        ...readAtLast,
        ...secretsOf([{ origin, message: opened }], me),
      };
      return { keys, arrivals: [arrival] };
    },
    async recordFailure(ciphertext) {
      const stanza = stanzas.get(ciphertext);
      if (!stanza) return;
      await recordUnreadable(stanza);
      if (failed.has(stanza) || stanza.attrs['category'] === 'peer') return;
      failed.add(stanza);
      hearFailure(stanza);
    },
    noteRepeat(ciphertext) {
      const stanza = stanzas.get(ciphertext);
      const key = stanza && me && keyOf(stanza, me);
      if (!stanza || !key || repeats.has(stanza)) return;
      // A stanza may contain a group's key before the message, which may not have been read with that key.
      if (childrenOf(stanza).findLast(({ tag }) => tag === 'enc')?.content !== ciphertext) return;
      repeats.add(stanza);
      heardOf.set(identityOf(key), true);
      repeat(stanza);
    },
    onRepeat(repeated) {
      repeat = repeated;
    },
    onFailure(heard) {
      hearFailure = heard;
    },
    recordUnreadable,
    announce({ arrivals, history: part }) {
      for (const arrival of arrivals) hear(arrival);
      if (part) history.announce(part);
    },
    listen(account, heard) {
      if (!account) return;
      me = account;
      hear = ({ message, ...origin }) => {
        const received = messageOf(origin, account);
        heardOf.set(identityOf(received.key), true);
        heard({ ...received, message: proto.Message.decode(message) });
      };
      for (const [, arrival] of stored()) hear(arrival);
    },
    wasHeard: (key) => heardOf.has(identityOf(key)),
    readBefore(stanza) {
      const key = me && keyOf(stanza, me);
      return key && heardOf.has(identityOf(key)) ? key : null;
    },
    complete(key) {
      completed.add(ARRIVALS + identityOf(key));
      // An arrival that was not erased is read again after a restart, and found to be already stored.
      cancelTimer ??= clock.setTimer(ERASE_AFTER_MS, () => void flush().catch(() => undefined));
    },
    flush,
    unreadable,
  };
}

/** Unwraps this device's copy of a message that the owner wrote on another device. */
function withoutCopy(opened: proto.IMessage): proto.IMessage {
  return opened.deviceSentMessage?.message ?? opened;
}

/** Returns null if the stanza does not name both a message and a sender. */
function keyOf(stanza: BinaryNode, me: Me): WAMessage['key'] | null {
  try {
    return messageOf(originOf(stanza), me).key;
  } catch {
    return null;
  }
}
