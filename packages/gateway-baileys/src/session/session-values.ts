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
   * Changes values at once for all who read them; null deletes. The next write stores all of these changes. Throws once
   * the session is closed.
   */
  put(changes: SessionChanges): void;
  /**
   * Resolves when everything that was put before is stored. Rejects with a `SessionBrokenError` if it cannot be. The
   * changes of one call of `put` are written in one transaction, and never before those of earlier calls. Writes happen
   * one after another, so whatever was put during one is written together in the next.
   */
  stored(): Promise<void>;
  /** Puts and stores these changes. */
  save(changes: SessionChanges): Promise<void>;
  /**
   * Refuses further changes, because the next connection reads the session now: it would not see a message that is
   * recorded later, and would take the network's repetition for a repeat. Resolves when everything that was put is
   * stored, or cannot be.
   */
  close(): Promise<void>;
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

/** The session could not be written, now or before, so its connection ends: the next one goes on from what is stored. */
export class SessionBrokenError extends Error {
  constructor(cause: unknown) {
    super('What the connection needs could not be stored, so it ends: check the database.', { cause });
    this.name = 'SessionBrokenError';
  }
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
  const { parts, resident, isResident } = await openSession(session, withResident);
  const recent = recentValues();
  /** The values that are not stored yet, which count as stored. */
  const ahead = new Map<string, Uint8Array | null>();
  /** The part of `ahead` that no write has begun with. */
  let waiting = new Map<string, Uint8Array | null>();
  /** The write of everything that waits, which begins after the one before it; null if none is planned. */
  let planned: Promise<void> | null = null;
  let last: Promise<void> = Promise.resolve();
  let puts = 0;
  let broken: SessionBrokenError | null = null;
  let isClosed = false;

  /** Undefined if only the storage knows the value; null for a name without a value. */
  const known = (name: string): Uint8Array | null | undefined => {
    const put = ahead.get(name);
    if (put !== undefined) return put;
    return isResident(name) ? (resident.get(name) ?? null) : recent.get(name);
  };

  const write = async (changes: SessionChanges): Promise<void> => {
    if (broken) throw broken;
    try {
      await session.save(changes);
    } catch (error) {
      broken = new SessionBrokenError(error);
      failed(error);
      throw broken;
    }
    for (const [name, value] of changes) {
      if (!isResident(name)) recent.set(name, value);
      else if (value) resident.set(name, value);
      else resident.delete(name);
      // Keep the entry if a later write of this name is waiting.
      if (ahead.get(name) === value) ahead.delete(name);
    }
  };

  const writeWaiting = (): Promise<void> => {
    const changes = waiting;
    waiting = new Map();
    planned = null;
    return write(changes);
  };

  const put = (changes: SessionChanges): void => {
    if (isClosed) throw new Error('The connection has ended: its session belongs to the next one.');
    puts += 1;
    for (const [name, value] of changes) {
      ahead.set(name, value);
      waiting.set(name, value);
    }
  };

  const stored = (): Promise<void> => {
    if (waiting.size === 0 || planned) return last;
    planned = last.then(writeWaiting, writeWaiting);
    // Those who wait for it report the error.
    planned.catch(() => undefined);
    last = planned;
    return last;
  };

  const readStored = async (names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> => {
    try {
      return await parts.read(names);
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
      const before = puts;
      const missing = names.filter((name) => known(name) === undefined);
      const found = missing.length === 0 ? NOTHING : await readStored(missing);
      // Values put in the meantime may be newer than those read.
      if (puts === before) for (const name of missing) recent.set(name, found.get(name) ?? null);
      return new Map(
        names.flatMap((name) => {
          const current = known(name);
          const value = current === undefined ? found.get(name) : current;
          return value ? [[name, value] as const] : [];
        }),
      );
    },
    names: (page) => parts.names(page),
    put,
    stored,
    async save(changes) {
      if (changes.size === 0) return;
      put(changes);
      await stored();
    },
    async close() {
      isClosed = true;
      await stored().catch(() => undefined);
    },
  };
}

const NOTHING: ReadonlyMap<string, Uint8Array> = new Map();

interface OpenedSession {
  readonly parts: SessionReads;
  readonly resident: Map<string, Uint8Array>;
  readonly isResident: (name: string) => boolean;
}

/** If a session cannot be read in parts, everything is resident. */
async function openSession(session: Session, { names, prefixes }: Resident): Promise<OpenedSession> {
  const parts = readableInParts(session);
  if (!parts) {
    const resident = new Map(await session.load());
    const listed: SessionReads = {
      read: async () => NOTHING,
      names: async ({ prefix, after, limit }) =>
        [...resident.keys()]
          .filter((name) => name.startsWith(prefix) && (after === null || name > after))
          .toSorted()
          .slice(0, limit),
    };
    return { parts: listed, resident, isResident: () => true };
  }
  const resident = new Map(await parts.read(names));
  for (const prefix of prefixes) {
    for await (const page of namePages(parts, prefix)) {
      for (const [name, value] of await parts.read(page)) resident.set(name, value);
    }
  }
  const isResident = (name: string): boolean =>
    names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return { parts, resident, isResident };
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
