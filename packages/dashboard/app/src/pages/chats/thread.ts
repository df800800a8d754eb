import type { MessageResource } from '@trunkline/http/client';

/** The loaded part of a chat: the newest messages, without a gap. */
export interface Thread {
  /** Newest first. */
  readonly messages: readonly MessageResource[];
  /** The cursor for older messages; null if there are none. */
  readonly olderCursor: string | null;
  /** Where the thread can be cut: the last message of the latest refresh, and its cursor. Null if there is none. */
  readonly cut: { readonly oldest: string; readonly olderCursor: string | null } | null;
}

/** A thread with more messages than this is cut. */
export const GROWN_MAX = 300;

interface Stretch {
  /** Newest first. */
  readonly messages: readonly MessageResource[];
  readonly nextCursor: string | null;
}

/** Whether a read that begins at the newest message reaches the oldest known one, or the beginning of the chat. */
export function reaches(fresh: Stretch, known: Thread | undefined): boolean {
  const oldest = known?.messages.at(-1)?.id;
  const last = fresh.messages.at(-1)?.id;
  return oldest === undefined || fresh.nextCursor === null || (last !== undefined && last <= oldest);
}

/**
 * Joins a new read from the newest message with the known older messages, which the user may be reading. If there is a
 * gap between them, the thread starts over.
 */
export function withNewest(fresh: Stretch, known: Thread | undefined): Thread {
  const newest = known?.messages[0]?.id;
  const oldest = known?.messages.at(-1)?.id;
  const last = fresh.messages.at(-1)?.id;
  const cut = last === undefined ? null : { oldest: last, olderCursor: fresh.nextCursor };
  const begun = { messages: fresh.messages, olderCursor: fresh.nextCursor, cut };
  if (known === undefined || newest === undefined || oldest === undefined) return begun;
  if (last === undefined) return begun;
  // Ids sort by time, as the list does.
  const shown = fresh.messages.filter(({ id }) => id >= oldest);
  if (fresh.nextCursor === null) {
    // The read covers the whole chat, so known messages that it lacks were deleted.
    return { messages: shown, olderCursor: last < oldest ? known.olderCursor : null, cut };
  }
  if (last > newest) return begun;
  return {
    messages: [...shown, ...known.messages.filter(({ id }) => id < last)],
    olderCursor: known.olderCursor,
    cut,
  };
}

export function withOlder(known: Thread, older: Stretch): Thread {
  const oldest = known.messages.at(-1)?.id;
  const further = older.messages.filter(({ id }) => oldest === undefined || id < oldest);
  return { ...known, messages: [...known.messages, ...further], olderCursor: older.nextCursor };
}

/** Adds a message that was just accepted, so that it shows before the next read. */
export function withSent(known: Thread, message: MessageResource): Thread {
  const newest = known.messages[0]?.id;
  if (newest !== undefined && message.id <= newest) return known;
  return { ...known, messages: [message, ...known.messages] };
}

/**
 * Removes the messages before the latest refresh, so that a chat that stays open for hours does not fill the memory.
 */
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
