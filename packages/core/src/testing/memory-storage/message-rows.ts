import { summaryOf } from '../../domain/contact/contact.ts';
import { saysOf } from '../../domain/message/content-change.ts';
import { contentIdOf, contentNotFree } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import type { MessageChange } from '../../ports/storage/message-store.ts';
import { currentContact } from './contact-store.ts';
import { storeEvents } from './event-fan-out.ts';
import { insertRow } from './state.ts';
import type { State, Work } from './state.ts';

/** Stores a new message, and links it to its reserved content, if any. */
export function insertMessage(state: State, message: Message): void {
  checkContent(state, message);
  insertRow(state.messages, message.id, structuredClone(message));
  takeContent(state, message);
}

/** Makes reserved content part of this message; throws if the message needs content that is not reserved. */
export function takeContent(state: State, message: Message): void {
  checkContent(state, message);
  const content = state.contents.get(contentIdOf(message));
  if (message.media?.available && content) content.messageId = message.id;
}

function checkContent(state: State, message: Message): void {
  if (message.media?.available !== true) return;
  if (state.contents.get(contentIdOf(message))?.messageId !== null) throw contentNotFree(message);
}

/** The message as read: without its file if the instance is deleted, and with its current contact. */
export function readMessage(state: State, message: Message): Message {
  const { media, instanceId } = message;
  const current = message.contact && currentContact(state, message.contact.id);
  const contact = current && summaryOf(current);
  if (!media || state.instances.has(instanceId)) return structuredClone({ ...message, contact });
  return structuredClone({ ...message, contact, media: { ...media, available: false } });
}

/**
 * Writes a change if the status is still as expected. Returns the work to signal; null if the status differs.
 */
export function applyChange(state: State, change: MessageChange): readonly Work[] | null {
  const { message, expectedStatus, events } = change;
  const stored = state.messages.get(message.id);
  if (stored?.status !== expectedStatus) return null;
  // Keep the columns that a change does not write, as a database does.
  const { contact } = stored;
  const says = expectedStatus === 'queued' ? {} : saysOf(stored);
  state.messages.set(message.id, structuredClone({ ...message, contact, ...says }));
  if (message.status !== 'queued') {
    const record = state.instances.get(stored.instanceId);
    record?.queue.delete(message.id);
    record?.held.delete(message.id);
  }
  return storeEvents(state, events);
}
