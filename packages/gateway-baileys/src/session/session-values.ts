import type { Session } from '@trunkline/core/spi/gateway';
import { recentValues } from './recent-values.ts';

type SessionChanges = ReadonlyMap<string, Uint8Array | null>;
type SessionReads = Required<Pick<Session, 'read' | 'names'>>;

/**
 * The stored values of an instance, read on demand because a big account stores a hundred thousand, of which it uses a
 * few hundred a day.
 */
export interface SessionValues extends SessionReads {
  /** The few values that must be available without a wait, so they stay in memory. */
  readonly resident: ResidentValues;
  /**
   * Writes one transaction, in which null deletes. Transactions are written one after another, in the order of the
   * calls.
   */
  save(changes: SessionChanges): Promise<void>;
  /** Resolves when all writes that have begun are done or have failed. */
  completed(): Promise<void>;
}

interface ResidentValues {
  get(name: string): Uint8Array | undefined;
  /** The names that begin with `prefix`. */
  names(prefix: string): readonly string[];
}

interface Resident {
  readonly names: readonly string[];
  /** The prefixes of further names to read. */
  readonly prefixes: readonly string[];
}

/**
 * Reads a session. If a write fails, `failed` is called, and nothing is written after that. The connection must then
 * end, because Baileys' memory is ahead of the storage. If a read fails, `failed` is called too, because Baileys takes a
 * key that it cannot read for one that is missing: it would acknowledge a message that it could not decrypt.
 */
export async function readSession(
  session: Session,
  failed: (error: unknown) => void,
  withResident: Resident = { names: [], prefixes: [] },
): Promise<SessionValues> {
  const { stored, resident, isResident } = await openSession(session, withResident);
  const recent = recentValues();
  /** The values being written, which count as stored. */
  const inFlight = new Map<string, Uint8Array | null>();
  let writes: Promise<void> = Promise.resolve();
  let writesBegun = 0;
  let broken = false;

  /** Undefined if only the storage knows the value; null for a name without a value. */
  const known = (name: string): Uint8Array | null | undefined => {
    const written = inFlight.get(name);
    if (written !== undefined) return written;
    return isResident(name) ? (resident.get(name) ?? null) : recent.get(name);
  };

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
      if (!isResident(name)) recent.set(name, value);
      else if (value) resident.set(name, value);
      else resident.delete(name);
      // Keep the entry if a later write of this name is waiting.
      if (inFlight.get(name) === value) inFlight.delete(name);
    }
  };

  const readStored = async (names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> => {
    try {
      return await stored.read(names);
    } catch (error) {
      failed(error);
      throw error;
    }
  };

  return {
    resident: {
      get: (name) => resident.get(name),
      names: (prefix) => [...resident.keys()].filter((name) => name.startsWith(prefix)),
    },
    async read(names) {
      const before = writesBegun;
      const missing = names.filter((name) => known(name) === undefined);
      const found = missing.length === 0 ? NOTHING : await readStored(missing);
      // Values written in the meantime may be newer than those read.
      if (writesBegun === before) for (const name of missing) recent.set(name, found.get(name) ?? null);
      return new Map(
        names.flatMap((name) => {
          const current = known(name);
          const value = current === undefined ? found.get(name) : current;
          return value ? [[name, value] as const] : [];
        }),
      );
    },
    names: (page) => stored.names(page),
    save(changes) {
      if (changes.size === 0) return Promise.resolve();
      writesBegun += 1;
      for (const [name, value] of changes) inFlight.set(name, value);
      const written = writes.then(() => write(changes));
      writes = written.catch(() => undefined);
      return written;
    },
    completed: () => writes,
  };
}

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map();

interface OpenedSession {
  readonly stored: SessionReads;
  readonly resident: Map<string, Uint8Array>;
  readonly isResident: (name: string) => boolean;
}

/** If a session cannot be read in parts, everything is resident. */
async function openSession(session: Session, { names, prefixes }: Resident): Promise<OpenedSession> {
  const stored = readableInParts(session);
  if (!stored) {
    const resident = new Map(await session.load());
    const listed: SessionReads = {
      read: async () => NOTHING,
      names: async ({ prefix, after, limit }) =>
        [...resident.keys()]
          .filter((name) => name.startsWith(prefix) && (after === null || name > after))
          .toSorted()
          .slice(0, limit),
    };
    return { stored: listed, resident, isResident: () => true };
  }
  const resident = new Map(await stored.read(names));
  for (const prefix of prefixes) {
    for await (const page of namePages(stored, prefix)) {
      for (const [name, value] of await stored.read(page)) resident.set(name, value);
    }
  }
  const isResident = (name: string): boolean =>
    names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return { stored, resident, isResident };
}

function readableInParts(session: Session): SessionReads | null {
  if (!session.read || !session.names) return null;
  return { read: session.read.bind(session), names: session.names.bind(session) };
}

const PAGE = 500;

/** Iterates over all names that begin with `prefix`, even if some are deleted in the meantime. */
export async function* namePages(
  { names }: Pick<SessionReads, 'names'>,
  prefix: string,
): AsyncGenerator<readonly string[]> {
  let after: string | null = null;
  do {
    const page: readonly string[] = await names({ prefix, after, limit: PAGE });
    yield page;
    after = page.length === PAGE ? (page.at(-1) ?? null) : null;
  } while (after !== null);
}
