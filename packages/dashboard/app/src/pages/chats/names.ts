import type { ChatResource, MessageResource } from '@trunkline/http/client';
import type { WebhookContact } from '@trunkline/receiver';
import { digitsOf } from '../../domain/digits-of.ts';
import { counterpartName } from '../../domain/message-status.ts';
import { nameText } from '../../domain/name-text.ts';
import { phoneText } from '../../domain/phone-text.ts';

/** The counterpart's name, else the number or id; null for an unnamed group or an unknown counterpart. */
export function chatName({
  name,
  contact,
  phone_number,
  counterpart,
  group_id,
}: ChatResource): string | null {
  const named = nameText(name) ?? (phone_number === null ? nameText(contact?.username) : null);
  if (named !== null) return named;
  if (phone_number !== null) return phoneText(phone_number);
  return group_id === null && counterpart !== '' ? counterpart : null;
}

/** The counterpart's newest name in `messages`, which are newest first; without a name, the number or id. */
export function threadName(counterpart: string, messages: readonly MessageResource[]): string {
  const named = messages.find(({ contact }) => nameText(contact?.name) !== null);
  const name = nameText(named?.contact?.name) ?? messages.map(counterpartName).find((each) => each !== null);
  return name ?? addressText(counterpart);
}

export function addressText(counterpart: string): string {
  const number = digitsOf(counterpart);
  return number === null ? counterpart : phoneText(number);
}

/** Whether `counterpart`, which may be another number or id of the same person, is the counterpart of the chat. */
export function isChatWith(
  { counterpart: own, group_id, contact, phone_number }: ChatResource,
  counterpart: string,
): boolean {
  const wanted = digitsOf(counterpart) ?? counterpart;
  return [own, group_id, contact?.id, phone_number, ...(contact?.dialled_numbers ?? [])].includes(wanted);
}

/** A person's name, else the number, the username or the id; null if there is no contact. */
export function contactName(contact: WebhookContact | null): string | null {
  if (contact === null) return null;
  const number = contact.phone_number === null ? null : phoneText(contact.phone_number);
  return nameText(contact.name) ?? number ?? nameText(contact.username) ?? contact.id;
}
