import { floorId } from '../../domain/id.ts';
import { isMessageOf } from '../../domain/person/person.ts';
import type { Person } from '../../domain/person/person.ts';
import type { Event } from '../../domain/event/event.ts';
import type { StoredMessage } from '../../ports/storage/erasure-store.ts';
import type { ServiceContext } from '../context.ts';
import { isEventOf } from './event-of-person.ts';
import { partsOf } from './walks.ts';

/** The progress of an operation on a person's data. */
export interface PersonProgress {
  /** The records that are being read or erased. */
  readonly step: 'messages' | 'events' | 'session' | 'files' | 'database' | 'contacts';
  /** How many rows this step has looked through so far. */
  readonly looked: number;
  /** How many of these rows are the person's. */
  readonly found: number;
}

export interface PersonWork {
  readonly context: ServiceContext;
  readonly person: Person;
  /** Ends the work between two steps. Finished steps stay done. */
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: PersonProgress) => void;
}

/**
 * How long after its id was made a message may be stored. The id is made on arrival, before the file comes.
 */
const STORED_WITHIN_MS = 15 * 60_000;

/** The lowest id that a message stored from now on may have. A walk may already have passed it. */
export function messagesStillToCome({ clock }: Pick<ServiceContext, 'clock'>): string {
  return floorId('msg', clock.now() - STORED_WITHIN_MS);
}

/** The messages of a person, oldest first, at most a few hundred at a time. */
export async function* messagesOf(
  { context, person, signal, onProgress }: PersonWork,
  from: string | null = null,
): AsyncGenerator<readonly StoredMessage[]> {
  let [looked, found] = [0, 0];
  const { erasure } = context.storage;
  for await (const { rows } of partsOf((walk) => erasure.listMessages(person.workspaceId, walk), from)) {
    signal?.throwIfAborted();
    const own = rows.filter((row) => isMessageOf(person, row));
    looked += rows.length;
    found += own.length;
    onProgress({ step: 'messages', looked, found });
    if (own.length > 0) yield own;
  }
}

/** The events of a person's messages and of their acts. */
export async function* eventsOf({
  context,
  person,
  signal,
  onProgress,
}: PersonWork): AsyncGenerator<readonly Event[]> {
  let [looked, found] = [0, 0];
  const { erasure } = context.storage;
  for await (const { rows } of partsOf((walk) => erasure.listEvents(person.workspaceId, walk))) {
    signal?.throwIfAborted();
    const own = rows.filter((event) => isEventOf(person, event));
    looked += rows.length;
    found += own.length;
    onProgress({ step: 'events', looked, found });
    if (own.length > 0) yield own;
  }
}
