import { proto } from '@whiskeysockets/baileys';
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '@whiskeysockets/baileys';
import { decodeValue, encodeValue } from './json-value.ts';
import type { SessionValues } from './session-values.ts';

/** Signal's keys and sessions among an instance's stored values: one transaction per `set`. */
export function signalKeys(values: SessionValues): SignalKeyStore {
  return {
    get(type, ids) {
      const found: { [id: string]: SignalDataTypeMap[typeof type] } = {};
      for (const id of ids) {
        const bytes = values.get(keyName(type, id));
        if (bytes) found[id] = revived(type, decodeValue(bytes));
      }
      return found;
    },
    async set(data) {
      await values.save(keyChanges(data));
    },
  };
}

/** Values of types of our own: Baileys' transactions carry them like any other. */
export function ownKeys(data: Readonly<Record<string, Readonly<Record<string, unknown>>>>): SignalDataSet {
  return data as SignalDataSet; // stored by type and id, whatever they are
}

export function keyName(type: string, id: string): string {
  return `key.${type}.${id}`;
}

function keyChanges(data: SignalDataSet): ReadonlyMap<string, Uint8Array | null> {
  const changes = new Map<string, Uint8Array | null>();
  for (const [type, entries] of Object.entries(data)) {
    for (const [id, value] of Object.entries(entries)) {
      changes.set(keyName(type, id), value === null || value === undefined ? null : encodeValue(value));
    }
  }
  return changes;
}

/** App state keys must be messages again, with their methods; everything else is plain data. */
function revived<Value>(type: keyof SignalDataTypeMap, value: Value): Value {
  if (type !== 'app-state-sync-key') return value;
  return proto.Message.AppStateSyncKeyData.fromObject(Object(value)) as Value; // the type of these keys
}
