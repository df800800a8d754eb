import { ownerOfNumber } from '../../domain/chat/chat-key.ts';
import { networkIdsOf } from '../../domain/contact/contact.ts';
import type { Contact, ContactReport } from '../../domain/contact/contact.ts';
import { decideContact } from '../../domain/contact/decide-contact.ts';
import type { ContactStore } from '../../ports/storage/contact-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { leasedRecord } from './lease.ts';
import { keyOf } from './state.ts';
import type { State } from './state.ts';

export class MemoryContactStore implements ContactStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async save(save: {
    readonly lease: Lease;
    readonly workspaceId: string;
    readonly report: ContactReport;
    readonly now: number;
  }): Promise<Contact | 'fenced'> {
    const { lease, workspaceId, report, now } = save;
    const { instanceId } = lease;
    const { contacts, contactIds, mergedContacts } = this.#state;
    if (!leasedRecord(this.#state, lease)) return 'fenced';
    const ids = new Set(networkIdsOf(report).map((id) => contactIds.get(keyOf(instanceId, id))));
    const { dialledNumbers = [] } = report;
    const dialled = contactsOf(this.#state, instanceId).filter((contact) =>
      contact.dialledNumbers.some((digits) => dialledNumbers.includes(digits)),
    );
    const known = [...new Set([...[...ids].flatMap((id) => contacts.get(id ?? '') ?? []), ...dialled])];
    const decided = decideContact(report, known, () => ({
      id: this.#state.newId('con', now),
      workspaceId,
      instanceId,
      createdAt: now,
    }));
    for (const written of decided.written) contacts.set(written.id, structuredClone(written));
    for (const id of decided.mergedIds) mergedContacts.set(id, decided.contact.id);
    for (const id of decided.droppedNetworkIds) contactIds.delete(keyOf(instanceId, id));
    for (const id of networkIdsOf(decided.contact)) contactIds.set(keyOf(instanceId, id), decided.contact.id);
    return structuredClone(decided.contact);
  }

  async find(workspaceId: string, instanceId: string, id: string): Promise<Contact | null> {
    const contact = currentContact(this.#state, id);
    const isOwn = contact?.workspaceId === workspaceId && contact.instanceId === instanceId;
    return isOwn ? structuredClone(contact) : null;
  }

  async findByNumber(workspaceId: string, instanceId: string, digits: string): Promise<Contact | null> {
    const contact = ownerOfNumber(digits, contactsOf(this.#state, instanceId));
    return contact?.workspaceId === workspaceId ? structuredClone(contact) : null;
  }
}

/** The contacts of an instance, without those that were merged. */
export function contactsOf({ contacts, mergedContacts }: State, instanceId: string): readonly Contact[] {
  return [...contacts.values()].filter(
    (contact) => contact.instanceId === instanceId && !mergedContacts.has(contact.id),
  );
}

/** The contact with this id or, if that contact was merged, the contact that it was merged into. */
export function currentContact({ contacts, mergedContacts }: State, id: string): Contact | null {
  return contacts.get(mergedContacts.get(id) ?? id) ?? null;
}
