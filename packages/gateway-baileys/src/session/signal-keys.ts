import { proto } from '@whiskeysockets/baileys';
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '@whiskeysockets/baileys';
import type { Clock } from '@trunkline/core/spi/gateway';
import { decodeValue, encodeValue } from './json-value.ts';
import { keyName } from './key-name.ts';
import { LID_PAIRS, dayOf, decodeLidPair, encodeLidPair, isToBeRenewed, oppositeOf } from './lid-pairs.ts';
import type { SessionValues } from './session-values.ts';

/** How many keys are read or written before other work may run: a group of a thousand members needs thousands. */
const TOGETHER = 200;

/** Signal's keys and sessions among an instance's stored values, with one transaction per `set` or `put`. */
export interface SignalKeys extends SignalKeyStore {
  /**
   * Each `get` returns new objects, because Baileys changes some of them before it knows whether they will be stored.
   */
  get: SignalKeyStore['get'];
  set(data: SignalDataSet): Promise<void>;
  /** Resolves when the changes are seen by all who read, before they are stored. */
  put(data: SignalDataSet): Promise<void>;
  /** Resolves when everything that was put before is stored. */
  stored(): Promise<void>;
}

export function signalKeys(values: SessionValues, clock: Pick<Clock, 'now'>): SignalKeys {
  /** Settles when a large set is encoded. Until then, reads and writes wait, because the set is not visible yet. */
  let encoding: Promise<unknown> | null = null;

  /** Renews the date of a used pair. The read of the key does not wait for this. */
  const renew = async (id: string): Promise<void> => {
    const today = dayOf(clock.now());
    const pair = await readLidPair(values, id);
    if (!pair) return;
    const opposite = oppositeOf(id, pair);
    const back = await readLidPair(values, opposite.id);
    // Meanwhile, the number may have been given another hidden id.
    const isPair = back?.user === opposite.user;
    await values.save(
      new Map([
        [keyName(LID_PAIRS, id), encodeLidPair(pair.user, today)],
        ...(isPair ? [[keyName(LID_PAIRS, opposite.id), encodeLidPair(back.user, today)] as const] : []),
      ]),
    );
  };

  const open = (type: keyof SignalDataTypeMap, id: string, bytes: Uint8Array): unknown => {
    if (type !== LID_PAIRS) return revived(type, decodeValue(bytes));
    const pair = decodeLidPair(bytes);
    // Any failed write ends the connection.
    if (isToBeRenewed(pair, dayOf(clock.now()))) void renew(id).catch(() => undefined);
    return pair.user;
  };

  const put = async (data: SignalDataSet): Promise<void> => {
    const entries = entriesOf(data);
    const today = dayOf(clock.now());
    while (encoding) await encoding;
    if (entries.length <= TOGETHER) return values.put(changesOf(entries, today));
    const encoded = encodeInParts(entries, today).then(values.put);
    const over = (): void => {
      encoding = null;
    };
    encoding = encoded.then(over, over);
    await encoded;
  };

  return {
    async get(type, ids) {
      const found: { [id: string]: SignalDataTypeMap[typeof type] } = {};
      while (encoding) await encoding;
      for (let first = 0; first < ids.length; first += TOGETHER) {
        if (first > 0) await othersFirst();
        const part = ids.slice(first, first + TOGETHER);
        const stored = await values.read(part.map((id) => keyName(type, id)));
        for (const id of part) {
          const bytes = stored.get(keyName(type, id));
          if (bytes) found[id] = open(type, id, bytes) as SignalDataTypeMap[typeof type];
        }
      }
      return found;
    },
    async set(data) {
      await put(data);
      await values.stored();
    },
    put,
    stored: values.stored,
  };
}

function othersFirst(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function readLidPair(
  values: SessionValues,
  id: string,
): Promise<ReturnType<typeof decodeLidPair> | null> {
  const name = keyName(LID_PAIRS, id);
  const bytes = (await values.read([name])).get(name);
  return bytes ? decodeLidPair(bytes) : null;
}

/** Types values of our own as Signal keys: Baileys' transactions store any value. */
export function ownKeys(data: Readonly<Record<string, Readonly<Record<string, unknown>>>>): SignalDataSet {
  return data as SignalDataSet; // stored by type and id, whatever the value
}

/**
 * Baileys' list of people with a token, which it uses to remove old tokens. This gateway prunes tokens itself and does
 * not store the list, because each new person would rewrite all of it.
 */
const TOKEN_LIST: string = keyName('tctoken', '__index');

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly value: unknown;
}

function entriesOf(data: SignalDataSet): readonly Entry[] {
  return Object.entries(data).flatMap(([type, entries]) =>
    Object.entries(entries).map(([id, value]) => ({ type, id, value })),
  );
}

type Changes = ReadonlyMap<string, Uint8Array | null>;

async function encodeInParts(entries: readonly Entry[], today: number): Promise<Changes> {
  const changes = new Map<string, Uint8Array | null>();
  for (let first = 0; first < entries.length; first += TOGETHER) {
    if (first > 0) await othersFirst();
    for (const [name, value] of changesOf(entries.slice(first, first + TOGETHER), today))
      changes.set(name, value);
  }
  return changes;
}

function changesOf(entries: readonly Entry[], today: number): Changes {
  const changes = new Map<string, Uint8Array | null>();
  for (const { type, id, value } of entries) {
    const name = keyName(type, id);
    if (name === TOKEN_LIST) continue;
    const isGone = value === null || value === undefined;
    const encoded = (): Uint8Array => (type === LID_PAIRS ? encodeLidPair(value, today) : encodeValue(value));
    changes.set(name, isGone ? null : encoded());
  }
  return changes;
}

/** App state keys must become protobuf messages again, with their methods; all other values are plain data. */
function revived(type: keyof SignalDataTypeMap, value: unknown): unknown {
  return type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(Object(value)) : value;
}
