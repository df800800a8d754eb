import type { MessageResource } from '@trunkline/http/client';

/** What has been read of a chat: without a gap from the newest message on. */
export interface Thread {
  /** Newest first. */
  readonly messages: readonly MessageResource[];
  /** For what is older; null if there is nothing. */
  readonly olderCursor: string | null;
  /** How far down the last read from the newest message on has come: where the thread can be cut. */
  readonly cut: { readonly oldest: string; readonly olderCursor: string | null } | null;
}

/** What a thread may grow to by itself. */
export const GROWN_MAX = 300;

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
  const newest = known?.messages[0]?.id;
  const oldest = known?.messages.at(-1)?.id;
  const last = fresh.messages.at(-1)?.id;
  const cut = last === undefined ? null : { oldest: last, olderCursor: fresh.nextCursor };
  const begun = { messages: fresh.messages, olderCursor: fresh.nextCursor, cut };
  if (known === undefined || newest === undefined || oldest === undefined) return begun;
  if (last === undefined) return begun;
  // Ids are in the order of the list.
  const shown = fresh.messages.filter(({ id }) => id >= oldest);
  if (fresh.nextCursor === null) {
    // All that there is. What is further up than anybody has asked for is left out, and the rest has been deleted.
    return { messages: shown, olderCursor: last < oldest ? known.olderCursor : null, cut };
  }
  if (last > newest) return begun;
  return {
    messages: [...shown, ...known.messages.filter(({ id }) => id < last)],
    olderCursor: known.olderCursor,
    cut,
  };
}

/** With the next stretch further up. */
export function withOlder(known: Thread, older: Stretch): Thread {
  const oldest = known.messages.at(-1)?.id;
  const further = older.messages.filter(({ id }) => oldest === undefined || id < oldest);
  return { ...known, messages: [...known.messages, ...further], olderCursor: older.nextCursor };
}

/** With a message that was just accepted: it is seen before the next read. */
export function withSent(known: Thread, message: MessageResource): Thread {
  const newest = known.messages[0]?.id;
  if (newest !== undefined && message.id <= newest) return known;
  return { ...known, messages: [message, ...known.messages] };
}

/** Without what is further up than the last read: a chat that is open for hours does not fill the memory. */
export function cutThread(known: Thread): Thread {
  const { cut } = known;
  const oldest = known.messages.at(-1)?.id;
  if (cut === null || oldest === undefined || cut.oldest <= oldest) return known;
  return {
    ...known,
    messages: known.messages.filter(({ id }) => id >= cut.oldest),
    olderCursor: cut.olderCursor,
  };
}
