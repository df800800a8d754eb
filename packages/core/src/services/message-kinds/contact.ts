import type { SharedContact } from '@trunkline/receiver';
import * as z from 'zod';
import type { KindRules } from './message-kind.ts';

export const contact: KindRules<'contact'> = {
  payload: z.strictObject({
    contacts: z.array(
      z.strictObject({ name: z.string(), phone_numbers: z.array(z.string()), vcard: z.string() }),
    ),
  }),
  words: ({ contacts }) => contactsText(contacts),
  sending: null,
};

function contactsText(contacts: readonly SharedContact[]): string {
  const [first, ...others] = contacts;
  if (first && others.length === 0) {
    return `Contact: ${[first.name, ...first.phone_numbers].filter(Boolean).join(', ')}`;
  }
  return `Contacts: ${contacts.map(({ name }) => name).join(', ')}`;
}
