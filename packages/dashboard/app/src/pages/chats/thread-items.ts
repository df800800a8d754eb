import type { MessageResource } from '@trunkline/http/client';
import { dayOf } from '../../components/time.tsx';
import type { Call } from './activity.ts';
import type { Stretch } from './stretch.ts';

interface Placed {
  readonly id: string;
  /** The day that begins with this item; null if it does not begin one. */
  readonly day: string | null;
  /** Whether it begins a group: messages of one author that follow each other within minutes. */
  readonly isFirst: boolean;
}

type ThreadItem = (Placed & { readonly message: MessageResource }) | (Placed & { readonly call: Call });

/** Longer pauses begin a new group. */
const PAUSE_MS = 5 * 60_000;

/** The messages and calls of a chat in their order, the oldest first. */
export function itemsOf(
  { rows, newer, older }: Stretch<MessageResource>,
  { calls, locale }: { readonly calls: readonly Call[]; readonly locale: string },
): readonly ThreadItem[] {
  const oldest = older === null ? -Infinity : timeOf(rows.at(-1));
  const newest = newer === null ? Infinity : timeOf(rows[0]);
  const isShown = ({ at }: Call): boolean => Date.parse(at) >= oldest && Date.parse(at) <= newest;
  const entries = [
    ...rows.map((message) => ({ id: message.id, at: message.created_at, message })),
    ...calls.filter(isShown).map((call) => ({ id: call.id, at: call.at, call })),
  ];
  const sorted = entries.toReversed().toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  let before: (typeof entries)[number] | null = null;
  return sorted.map((entry) => {
    const day = dayOf(entry.at, locale);
    const isNewDay = before === null || dayOf(before.at, locale) !== day;
    const isPaused = before === null || Date.parse(entry.at) - Date.parse(before.at) > PAUSE_MS;
    const isFirst = isNewDay || isPaused || before === null || authorOf(before) !== authorOf(entry);
    before = entry;
    return { ...entry, day: isNewDay ? day : null, isFirst };
  });
}

function timeOf(message: MessageResource | undefined): number {
  return message === undefined ? 0 : Date.parse(message.created_at);
}

/** A call has an author of its own, so that it ends a group. */
function authorOf(entry: { readonly id: string; readonly message?: MessageResource }): string {
  const { message } = entry;
  if (message === undefined) return entry.id;
  if (message.direction === 'outbound') return 'own';
  return message.contact?.id ?? message.from ?? '';
}
