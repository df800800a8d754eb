/** The most recently used stored values, up to a size limit; null for a name without a stored value. */
export interface RecentValues {
  /** Undefined if not in memory. */
  get(name: string): Uint8Array | null | undefined;
  set(name: string, value: Uint8Array | null): void;
}

/** Room for a few hundred Signal sessions. */
const MAX_BYTES = 1_048_576;
/** The approximate size of an entry without its name and value. */
const ENTRY_BYTES = 150;

export function recentValues(maxBytes: number = MAX_BYTES): RecentValues {
  /** Ordered by use, the most recent last. */
  const entries = new Map<string, Uint8Array | null>();
  let bytes = 0;

  const remove = (name: string): void => {
    const value = entries.get(name);
    if (value === undefined) return;
    entries.delete(name);
    bytes -= sizeOf(name, value);
  };
  const add = (name: string, value: Uint8Array | null): void => {
    entries.set(name, value);
    bytes += sizeOf(name, value);
  };

  return {
    get(name) {
      const value = entries.get(name);
      if (value === undefined) return undefined;
      entries.delete(name);
      entries.set(name, value);
      return value;
    },
    set(name, value) {
      remove(name);
      add(name, value);
      for (const [oldest] of entries) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}

function sizeOf(name: string, value: Uint8Array | null): number {
  return ENTRY_BYTES + name.length + (value?.length ?? 0);
}
