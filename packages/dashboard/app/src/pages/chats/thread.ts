import type { MessageResource } from '@trunkline/http/client';

/** What has been read of a chat: without a gap from the newest message on. */
export interface Thread {
  /** Newest first. */
  readonly messages: readonly MessageResource[];
  /** For what is older; null if there is nothing. */
  readonly olderCursor: string | null;
}

/** What one reads at a time. */
interface Stretch {
  /** Newest first. */
  readonly messages: readonly MessageResource[];
  readonly nextCursor: string | null;
}

/** Whether a read from the newest message on has come as far as what was read before. */
export function reaches(fresh: Stretch, known: Thread | undefined): boolean {
  const oldest = known?.messages.at(-1)?.id;
  const last = fresh.messages.at(-1)?.id;
  return oldest === undefined || fresh.nextCursor === null || (last !== undefined && last <= oldest);
}

/**
 * A new read from the newest message on, with what is further up from before: whoever reads there does not lose it. Where
 * the new read does not come down to anything that is known, the thread begins anew, since there would be a gap.
 */
export function withNewest(fresh: Stretch, known: Thread | undefined): Thread {
  const begun = { messages: fresh.messages, olderCursor: fresh.nextCursor };
  const newest = known?.messages[0]?.id;
  const oldest = known?.messages.at(-1)?.id;
  const last = fresh.messages.at(-1)?.id;
  if (known === undefined || newest === undefined || oldest === undefined) return begun;
  if (last === undefined) return begun;
  // Ids are in the order of the list.
  const shown = fresh.messages.filter(({ id }) => id >= oldest);
  if (fresh.nextCursor === null) {
    // All that there is. What is further up than anybody has asked for is left out, and the rest has been deleted.
    return { messages: shown, olderCursor: last < oldest ? known.olderCursor : null };
  }
  if (last > newest) return begun;
  return {
    messages: [...shown, ...known.messages.filter(({ id }) => id < last)],
    olderCursor: known.olderCursor,
  };
}

/** With the next stretch further up. */
export function withOlder(known: Thread, older: Stretch): Thread {
  const oldest = known.messages.at(-1)?.id;
  const further = older.messages.filter(({ id }) => oldest === undefined || id < oldest);
  return { messages: [...known.messages, ...further], olderCursor: older.nextCursor };
}

/** With a message that was just accepted: it is seen before the next read. */
export function withSent(known: Thread, message: MessageResource): Thread {
  const newest = known.messages[0]?.id;
  if (newest !== undefined && message.id <= newest) return known;
  return { ...known, messages: [message, ...known.messages] };
}
