import type { MessageChange } from '../../ports/storage/message-store.ts';
import { storeEvents } from './event-fan-out.ts';
import type { State, WorkTopic } from './state.ts';

/** Guarded by the status that the change was decided on. Answers what there is to signal; null when it is stale. */
export function applyChange(state: State, change: MessageChange): readonly WorkTopic[] | null {
  const { message, expectedStatus, events } = change;
  const stored = state.messages.get(message.id);
  if (stored?.status !== expectedStatus) return null;
  state.messages.set(message.id, structuredClone(message));
  if (message.status !== 'queued') state.instances.get(stored.instanceId)?.queue.delete(message.id);
  return storeEvents(state, events);
}
