import { proto } from '@whiskeysockets/baileys';
import { decodeValue } from '../session/json-value.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';

const TYPE = 'history';
/** The prefix of the names of parts that are not read yet, which are read when a connection is opened. */
export const HISTORY: string = keyName(TYPE, '');

export interface HistoryPart {
  readonly id: string;
  readonly file: proto.Message.IHistorySyncNotification;
}

/**
 * The parts of the phone's history that are not read yet. They are stored in one transaction with the keys that
 * decrypted their messages, because the phone sends each part only once.
 */
export interface PendingHistory {
  /** Returns the changes that store the part of the history that a message announces; null if it announces none. */
  record(id: string, message: proto.IMessage): HistoryChanges | null;
  /** Calls `heard` with each part, beginning with those that an earlier connection left. */
  listen(heardBy: (part: HistoryPart) => void): void;
  /** Passes on a part that was stored. */
  announce(changes: HistoryChanges): void;
  erase(id: string): Promise<void>;
}

/** Values of our own type, in the form of Signal keys. */
export type HistoryChanges = Readonly<Record<typeof TYPE, Readonly<Record<string, StoredPart>>>>;

interface StoredPart {
  readonly order: number;
  /** An encoded `HistorySyncNotification`. */
  readonly file: Uint8Array;
}

const { HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type;
const { INITIAL_BOOTSTRAP, RECENT, FULL, NON_BLOCKING_DATA } = proto.Message.HistorySyncType;
/** The other types have no chats. */
const READ: readonly unknown[] = [INITIAL_BOOTSTRAP, RECENT, FULL, NON_BLOCKING_DATA];

/** More than a phone sends while the first ones are read. */
const MOST = 50;
/** The first part may come within its message. A longer one is left out. */
const LONGEST_INLINE = 1_048_576;

export function pendingHistory(values: SessionValues, dropped: () => void): PendingHistory {
  let hear: ((part: HistoryPart) => void) | null = null;
  const heard = new Set<string>();
  const stored = (): readonly (readonly [string, StoredPart])[] =>
    values.resident
      .names(HISTORY)
      .flatMap((name) => {
        const bytes = values.resident.get(name);
        return bytes ? [[name.slice(HISTORY.length), decodeValue<StoredPart>(bytes)] as const] : [];
      })
      .toSorted(([, one], [, other]) => one.order - other.order);
  const pass = (id: string, { file }: StoredPart): void => {
    // A part may be found by `listen` before it is announced.
    if (!hear || heard.has(id)) return;
    heard.add(id);
    hear({ id, file: proto.Message.HistorySyncNotification.decode(file) });
  };
  let order = (stored().at(-1)?.[1].order ?? 0) + 1;

  return {
    record(id, { protocolMessage }) {
      const file = protocolMessage?.historySyncNotification;
      if (protocolMessage?.type !== HISTORY_SYNC_NOTIFICATION || !file) return null;
      if (!READ.includes(file.syncType ?? INITIAL_BOOTSTRAP)) return null;
      const isTooLong = (file.initialHistBootstrapInlinePayload?.length ?? 0) > LONGEST_INLINE;
      if (isTooLong || values.resident.names(HISTORY).length >= MOST) {
        dropped();
        return null;
      }
      const encoded = proto.Message.HistorySyncNotification.encode(file).finish();
      return { [TYPE]: { [id]: { order: order++, file: encoded } } };
    },
    listen(heardBy) {
      hear = heardBy;
      for (const [id, part] of stored()) pass(id, part);
    },
    announce(changes) {
      for (const [id, part] of Object.entries(changes[TYPE])) pass(id, part);
    },
    erase: (id) => values.save(new Map([[HISTORY + id, null]])),
  };
}
