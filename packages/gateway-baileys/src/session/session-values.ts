import type { Session } from '@trunkline/core/spi/gateway';

type SessionChanges = ReadonlyMap<string, Uint8Array | null>;

/** Everything that is stored for one instance, read once and written through. */
export interface SessionValues {
  get(name: string): Uint8Array | undefined;
  /** The names that begin with `prefix`. */
  names(prefix: string): readonly string[];
  /** One transaction; null deletes. Transactions are written one after another, in the order of the calls. */
  save(changes: SessionChanges): Promise<void>;
  /** Resolves when everything begun is written, or has failed. */
  completed(): Promise<void>;
}

/**
 * `failed` is called once, when a write did not succeed: what Baileys then has in memory is ahead of what is stored, so
 * the connection must end. Nothing is written after that.
 */
export async function readSession(
  session: Session,
  failed: (error: unknown) => void,
): Promise<SessionValues> {
  const values = new Map(await session.load());
  let writes: Promise<void> = Promise.resolve();
  let broken = false;

  const write = async (changes: SessionChanges): Promise<void> => {
    if (broken)
      throw new Error(
        'An earlier write of this session failed, so its connection ends: the next one goes on from what is stored.',
      );
    try {
      await session.save(changes);
    } catch (error) {
      broken = true;
      failed(error);
      throw error;
    }
    for (const [name, value] of changes) {
      if (value) values.set(name, value);
      else values.delete(name);
    }
  };

  return {
    get: (name) => values.get(name),
    names: (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
    save(changes) {
      if (changes.size === 0) return Promise.resolve();
      const written = writes.then(() => write(changes));
      writes = written.catch(() => undefined);
      return written;
    },
    completed: () => writes,
  };
}
