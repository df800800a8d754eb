import type { WebhookContact, WebhookEvent } from '@trunkline/receiver';
import { digitsOf } from '../../domain/digits-of.ts';

export interface Reaction {
  readonly emoji: string;
  /** The people who reacted; null for the owner of the number. */
  readonly by: readonly (WebhookContact | null)[];
}

/** The reactions to each message, as its newest events leave them. `events` are newest first. */
export function reactionsIn(events: readonly WebhookEvent[]): ReadonlyMap<string, readonly Reaction[]> {
  const seen = new Set<string>();
  const found = new Map<string, Reaction[]>();
  for (const event of events) {
    if (event.type !== 'message.reaction') continue;
    const { message, reaction } = event.data;
    const author = reaction.own ? '' : (reaction.contact?.id ?? '?');
    const key = `${message.id} ${author}`;
    // Somebody's newest reaction replaces the earlier ones.
    if (seen.has(key)) continue;
    seen.add(key);
    if (reaction.emoji === null) continue;
    const reactions = found.get(message.id) ?? [];
    const same = reactions.find(({ emoji }) => emoji === reaction.emoji);
    const by = [reaction.own ? null : reaction.contact, ...(same?.by ?? [])];
    found.set(message.id, [...reactions.filter((each) => each !== same), { emoji: reaction.emoji, by }]);
  }
  return found;
}

export interface Call {
  readonly id: string;
  /** When the service learned of it, as messages are dated. */
  readonly at: string;
  readonly isVideo: boolean;
  /** The caller; null if the network does not say. */
  readonly contact: WebhookContact | null;
}

/** The calls in a chat. `people` are the ids and numbers of its person. */
export function callsIn(
  events: readonly WebhookEvent[],
  { counterpart, people }: { readonly counterpart: string; readonly people: ReadonlySet<string> },
): readonly Call[] {
  const isGroup = counterpart.startsWith('grp_');
  const wanted = digitsOf(counterpart) ?? counterpart;
  return events.flatMap((event) => {
    if (event.type !== 'call.received') return [];
    const { group_id, contact, video } = event.data.call;
    const from = contact && [contact.id, contact.phone_number ?? '', ...contact.dialled_numbers];
    const isHere = isGroup
      ? group_id === counterpart
      : group_id === null && from?.some((each) => each === wanted || people.has(each)) === true;
    return isHere ? [{ id: event.id, at: event.created_at, isVideo: video, contact }] : [];
  });
}
