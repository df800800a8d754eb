import type { Session } from '@trunkline/core/spi/gateway';

export interface MemorySession extends Session {
  /** Acts as if another process held the instance: every write is refused from now on. */
  fence(): void;
  /** Makes the next write fail, as on a full disk. */
  failNextSave(): void;
  readonly values: ReadonlyMap<string, Uint8Array>;
  /** Returns the session as the storage would have it if the process ended now. */
  copy(): MemorySession;
}

export function memorySession(
  instanceId: string,
  stored: ReadonlyMap<string, Uint8Array> = new Map(),
): MemorySession {
  const values = new Map(stored);
  let refusal: Error | null = null;
  let failsNext = false;
  return {
    instanceId,
    values,
    async load() {
      return new Map(values);
    },
    async read(names) {
      return new Map(
        names.flatMap((name) => {
          const value = values.get(name);
          return value ? [[name, value] as const] : [];
        }),
      );
    },
    async names({ prefix, after, limit }) {
      return [...values.keys()]
        .filter((name) => name.startsWith(prefix) && (after === null || name > after))
        .toSorted()
        .slice(0, limit);
    },
    async save(changes) {
      if (refusal) throw refusal;
      if (failsNext) {
        failsNext = false;
        throw new Error('The disk is full.');
      }
      for (const [name, value] of changes) {
        if (value) values.set(name, value);
        else values.delete(name);
      }
    },
    fence() {
      refusal = new Error(`Another process holds ${instanceId}.`);
    },
    failNextSave() {
      failsNext = true;
    },
    copy: () => memorySession(instanceId, values),
  };
}
