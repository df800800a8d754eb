import { AsyncLocalStorage } from 'node:async_hooks';
import type { SignalDataSet, SignalKeyStore } from '@whiskeysockets/baileys';

/** A session record of libsignal's `session_record.js`, as it is stored. */
export interface SessionRecord {
  readonly _sessions?: Readonly<Record<string, StoredSession>>;
}

interface StoredSession {
  readonly indexInfo: {
    /** When a message was last decrypted with the session, in epoch milliseconds. */
    readonly used?: number;
  };
  readonly _chains: Readonly<Record<string, StoredChain>>;
}

/** The keys that one side has used with one of its ratchet keys. */
interface StoredChain {
  /** The number of the latest key. */
  readonly chainKey: { readonly counter: number };
  /** The earlier keys that are not used yet, by number. */
  readonly messageKeys: Readonly<Record<number, string>>;
}

/** Runs the decryption of a message. */
type Decryption = <Result>(decrypt: () => Promise<Result>) => Promise<Result>;

/**
 * Makes a decryption change only the session that fits the message. libsignal tries the sessions with a device one
 * after another (`decryptWithSessions`), and steps the ratchet of each. Once one fits, it stores all of them. The device
 * could read nothing that is sent with a session that was stepped without fitting.
 */
export function changeOnlyFitting(keys: SignalKeyStore): Decryption {
  const decryptions = new AsyncLocalStorage<Map<string, SessionRecord>>();
  const get: SignalKeyStore['get'] = keys.get.bind(keys);
  const set: SignalKeyStore['set'] = keys.set.bind(keys);
  Object.assign(keys, {
    async get(type, ids) {
      const found = await get(type, ids);
      const tried = decryptions.getStore();
      if (type !== 'session' || !tried) return found;
      const records = found as Readonly<Record<string, SessionRecord>>; // set under this type
      for (const [id, record] of Object.entries(records)) tried.set(id, record);
      return mapped(records, (record) => ranked(record)) as typeof found;
    },
    async set(data) {
      const tried = decryptions.getStore();
      const { session } = data as { readonly session?: Readonly<Record<string, SessionRecord | null>> };
      if (!tried || !session) return set(data);
      const fitting = mapped(session, (record, id) => record && onlyFitting(tried.get(id), record));
      await set({ ...data, session: fitting } as SignalDataSet);
    },
  } satisfies Pick<SignalKeyStore, 'get' | 'set'>);
  return (decrypt) => decryptions.run(new Map(), decrypt);
}

function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

/** Replaces the times at which sessions were used by their ranks, which keeps the order in which they are tried. */
function ranked({ _sessions: sessions = {}, ...record }: SessionRecord): SessionRecord {
  const times = Object.values(sessions).map(({ indexInfo }) => indexInfo.used ?? 0);
  const rankOf = (time: number): number => times.filter((other) => other <= time).length;
  const _sessions = mapped(sessions, ({ indexInfo, ...session }) => ({
    ...session,
    indexInfo: { ...indexInfo, used: rankOf(indexInfo.used ?? 0) },
  }));
  return { ...record, _sessions };
}

/** The one session whose rank libsignal has replaced by a time is changed; the others are as before. */
function onlyFitting(before: SessionRecord | undefined, after: SessionRecord): SessionRecord {
  const { _sessions: sessions = {} } = before ?? {};
  const isFitting = ({ indexInfo }: StoredSession): boolean =>
    (indexInfo.used ?? 0) > Object.keys(sessions).length;
  const _sessions = mapped(after._sessions ?? {}, (session, name) =>
    isFitting(session) ? session : (sessions[name] ?? session),
  );
  return { ...after, _sessions };
}
