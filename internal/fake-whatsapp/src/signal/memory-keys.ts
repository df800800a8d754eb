import type { SignalDataTypeMap, SignalKeyStore } from '@whiskeysockets/baileys';

export function memoryKeys(): SignalKeyStore {
  const kept = new Map<string, unknown>();
  return {
    get: <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids) {
        const value = kept.get(`${type}/${id}`);
        // `set` stored the value under the same type.
        if (value !== undefined) found[id] = value as SignalDataTypeMap[T];
      }
      return found;
    },
    set: (changes) => {
      for (const [type, values] of Object.entries(changes)) {
        for (const [id, value] of Object.entries(values)) {
          if (value === null) kept.delete(`${type}/${id}`);
          else kept.set(`${type}/${id}`, value);
        }
      }
    },
  };
}
