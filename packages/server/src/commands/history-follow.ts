import type { InstanceHistoryResource } from '@trunkline/http/client';
import type { Call } from './command.ts';
import { readRows } from './pages.ts';
import { isForNow, openStream, readStream, reopenStream } from './remote-events.ts';
import { accepted } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import { historyEntry, page as pageOf } from './service-shapes.ts';
import { rowText } from '../terminal/table.ts';
import type { Columns } from '../terminal/table.ts';

const SHAPE = pageOf(historyEntry);

/** The events that report a change of an instance. Messages are not part of its history. */
const TYPES = ['instance.connected', 'instance.disconnected', 'instance.error', 'instance.qr_required'].join(
  ',',
);

/** How many entries to read at a time: far more than arrive between two reads. */
const PER_LOOK = 100;

interface Followed {
  readonly id: string;
  /** How many earlier entries are printed first. */
  readonly limit: number;
  readonly columns: Columns<InstanceHistoryResource>;
}

/**
 * Prints the history of an instance, oldest first, and each new entry until the command is ended. Reads the history
 * whenever the event stream reports a change of an instance. A change without an event, such as a failed attempt, is
 * found at the stream's next heartbeat, at most 15 s later. An entry that repeats is printed again, with its count.
 */
export async function followHistory(
  call: Call,
  service: RemoteService,
  { id, limit, columns }: Followed,
): Promise<void> {
  const { output, signal } = call;
  const { instances } = service.client;
  let known = new Map<string, number>();
  const print = (newestFirst: readonly InstanceHistoryResource[]): void => {
    for (const entry of newestFirst.toReversed()) {
      if (known.get(entry.id) === entry.count) continue;
      output.result({ data: entry }, rowText(columns, entry));
    }
  };
  /** Keeps only the newest entries, because older ones are not read again. */
  const remember = (newestFirst: readonly InstanceHistoryResource[]): void => {
    known = new Map(newestFirst.map((entry) => [entry.id, entry.count]));
  };

  let after: string | undefined;
  const reader = {
    types: TYPES,
    after: () => after,
    async take({ id: position }: { readonly id: string }): Promise<void> {
      const asked = instances.history(id, { limit: PER_LOOK }, call);
      const reply = await asked;
      // The next heartbeat, or the next stream, triggers another read.
      if (!reply.ok && isForNow(reply.error.status)) return;
      const { data } = await accepted(service, asked, SHAPE);
      print(data);
      remember(data);
      after = position;
    },
  };
  const before = await readRows({ limit: Math.max(limit, PER_LOOK) }, (page) =>
    accepted(service, instances.history(id, page, call), SHAPE),
  );
  print(before.slice(0, limit));
  remember(before);
  let stream = await openStream(call, service, reader);
  output.note('Waiting for changes; Ctrl-C ends it.');
  try {
    for (;;) {
      await readStream(stream, reader, service);
      signal.throwIfAborted();
      stream = await reopenStream(call, service, reader);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
