import type { InstanceHistoryResource } from '@trunkline/http/client';
import { printable } from '../printable.ts';
import type { Call } from './command.ts';
import { readRows } from './pages.ts';
import { isForNow, openStream, readStream, reopenStream } from './remote-events.ts';
import { accepted } from './remote-service.ts';
import type { RemoteService } from './remote-service.ts';
import { historyEntry, page as pageOf } from './service-shapes.ts';

const SHAPE = pageOf(historyEntry);

/** Those that come with a change of an instance. Its messages are no part of its history. */
const TYPES = ['instance.connected', 'instance.disconnected', 'instance.error', 'instance.qr_required'].join(
  ',',
);

/** What one look reads, as one page: far more than happens between two. */
const PER_LOOK = 100;

interface Followed {
  readonly id: string;
  /** How many entries of before are printed first. */
  readonly limit: number;
  readonly rowOf: (entry: InstanceHistoryResource) => readonly string[];
}

/**
 * Prints the history of an instance, oldest first, and what is added to it until the command is ended. It looks when the
 * stream of events has something about instances. What changes the history without an event, such as a failed try, is
 * found by the stream's next sign of life, 15 s later at most. An entry that repeats is printed again, with its count.
 */
export async function followHistory(
  call: Call,
  service: RemoteService,
  { id, limit, rowOf }: Followed,
): Promise<void> {
  const { output, signal } = call;
  const { instances } = service.client;
  let known = new Map<string, number>();
  const print = (newestFirst: readonly InstanceHistoryResource[]): void => {
    for (const entry of newestFirst.toReversed()) {
      if (known.get(entry.id) === entry.count) continue;
      output.result({ data: entry }, rowOf(entry).map(printable).join('  '));
    }
  };
  /** What is no longer among the newest does not come back. */
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
      // The stream will end, too, or has its next sign of life.
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
