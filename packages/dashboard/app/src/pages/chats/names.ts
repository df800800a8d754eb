import type { ChatResource, MessageResource } from '@trunkline/http/client';
import { counterpartName } from '../../domain/message-status.ts';
import { nameText } from '../../domain/name-text.ts';
import { phoneText } from '../../domain/phone-text.ts';

/** The readable name of a chat's counterpart; null if the network does not report any. */
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

/** A number as people write it; an id as it is. */
export function addressText(counterpart: string): string {
  const number = digitsOf(counterpart);
  return number === null ? counterpart : phoneText(number);
}

/** The digits of a number, however it is written; null if the text is not a complete number. */
export function digitsOf(text: string): string | null {
  if (!/^\+?[\d\s().-]+$/.test(text.trim())) return null;
  const digits = text.replace(/\D/g, '');
  return digits.length >= 7 && digits.length <= 15 ? digits : null;
}
