import {
  chatKeyOf,
  chatKeysOf,
  keyOfCounterpart,
  numberOfKey,
  ownerOfNumber,
} from '../../domain/chat/chat-key.ts';
import type { ChatSummary } from '../../domain/chat/chat.ts';
import { summaryOf } from '../../domain/contact/contact.ts';
import type { Contact } from '../../domain/contact/contact.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import type { ChatStore } from '../../ports/storage/chat-store.ts';
import type { Page, PageRequest } from '../../ports/storage/page.ts';
import { contactsOf, currentContact } from './contact-store.ts';
import { readMessage } from './message-rows.ts';
import { byId } from './order.ts';
import { pageOf } from './page.ts';
import type { State } from './state.ts';

/** Files nothing, because each lookup goes through all messages. */
export class MemoryChatStore implements ChatStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async list(workspaceId: string, instanceId: string, page: PageRequest): Promise<Page<ChatSummary>> {
    const latest = new Map<string, Message>();
    for (const message of [...this.#state.messages.values()].toSorted(byId)) {
      if (message.workspaceId !== workspaceId || message.instanceId !== instanceId) continue;
      const key = chatKeyOf(message);
      const [mainKey] = key === null ? [] : chatNamedBy(this.#state, instanceId, key).keys;
      if (mainKey !== undefined) latest.set(mainKey, message);
    }
    const rows = Array.from(latest, ([key, { id }]) => ({ key, id }));
    const { rows: onPage, ...rest } = pageOf(rows, page);
    return { rows: onPage.flatMap(({ key, id }) => this.#read(instanceId, key, id)), ...rest };
  }

  #read(instanceId: string, key: string, lastId: string): readonly ChatSummary[] {
    const last = this.#state.messages.get(lastId);
    if (!last) return [];
    const { groupId } = last;
    const { contact } = chatNamedBy(this.#state, instanceId, key);
    const groups = [...(this.#state.instances.get(instanceId)?.groups.values() ?? [])];
    return [
      {
        instanceId,
        groupId,
        contact: contact && summaryOf(contact),
        number: contact ? contact.phoneNumber : numberOfKey(key),
        groupName: groups.find(({ id }) => id === groupId)?.name ?? null,
        lastMessage: readMessage(this.#state, last),
      },
    ];
  }
}

export function isWith(state: State, message: Message, counterpart: Recipient): boolean {
  const key = chatKeyOf(message);
  return (
    key !== null && chatNamedBy(state, message.instanceId, keyOfCounterpart(counterpart)).keys.includes(key)
  );
}

interface NamedChat {
  /** Null in a group, and if only the number is known. */
  readonly contact: Contact | null;
  /** All keys of the chat's messages; the first key identifies the chat. */
  readonly keys: readonly string[];
}

function chatNamedBy(state: State, instanceId: string, key: string): NamedChat {
  const contacts = contactsOf(state, instanceId);
  const ownerOf = (digits: string): Contact | null => ownerOfNumber(digits, contacts);
  const current = currentContact(state, key);
  const contact = current ? (current.instanceId === instanceId ? current : null) : ownerOf(key);
  return contact ? { contact, keys: chatKeysOf(contact, ownerOf) } : { contact: null, keys: [key] };
}
