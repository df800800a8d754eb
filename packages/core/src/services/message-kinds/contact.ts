import type { MessagePayloads, SharedContact } from '@trunkline/receiver';
import * as z from 'zod';
import { isCard, numbersOnCard, writeCard } from '../../domain/message/contact-card.ts';
import { optionalField, storableText, wordsWithin } from '../../inputs/fields.ts';
import { payloadSending } from './message-kind.ts';
import type { SendableKindRules } from './message-kind.ts';
import type { SendPayloadInput } from './send-input.ts';

/** One or more contact cards. */
export interface SendContactInput extends SendPayloadInput {
  /** Always `contact`. */
  readonly kind: 'contact';
  /** The cards. */
  readonly payload: {
    /** 1 to 20 cards. */
    readonly contacts: readonly ContactCardInput[];
  };
}

/** A contact card to send: with its numbers, or with the whole card. */
export interface ContactCardInput {
  /** The name, at most 256 characters. */
  readonly name: string;
  /** 1 to 10 numbers, as people write them, each of at most 64 characters. A `vcard` has its own, which replace these. */
  readonly phone_numbers?: readonly string[] | null | undefined;
  /** The card itself (RFC 6350), at most 4,096 characters. By default, it is made from the name and the numbers. */
  readonly vcard?: string | null | undefined;
}

const CARDS_MAX = 20;
const NAME_MAX = 256;
const NUMBERS_MAX = 10;
const NUMBER_MAX = 64;
const CARD_MAX = 4_096;

const words = ({ contacts }: MessagePayloads['contact']): string => contactsText(contacts);

export const contact: SendableKindRules<'contact'> = {
  payload: z.strictObject({
    contacts: z.array(
      z.strictObject({ name: z.string(), phone_numbers: z.array(z.string()), vcard: z.string() }),
    ),
  }),
  words,
  sending: payloadSending({
    kind: 'contact',
    capability: 'contacts',
    words,
    payload: z.object({
      contacts: z
        .array(
          z
            .object({
              name: oneLine(NAME_MAX),
              phone_numbers: optionalField(
                z.array(oneLine(NUMBER_MAX)).max(NUMBERS_MAX, `Must have at most ${NUMBERS_MAX} numbers.`),
              ),
              vcard: optionalField(
                storableText(1, CARD_MAX).refine(
                  isCard,
                  'Must be a vCard, from BEGIN:VCARD to END:VCARD (RFC 6350).',
                ),
              ),
            })
            .refine(
              ({ phone_numbers: numbers = [], vcard }) => numbers.length > 0 || vcard !== undefined,
              'Must have phone_numbers or a vcard.',
            )
            .transform(sharedContact),
        )
        .min(1, 'Must have at least one card.')
        .max(CARDS_MAX, `Must have at most ${CARDS_MAX} cards.`),
    }),
  }),
};

function oneLine(max: number): z.ZodType<string, string> {
  return wordsWithin(max).refine((text) => !/[\r\n]/.test(text), 'Must be a single line.');
}

function sharedContact({
  name,
  phone_numbers: numbers = [],
  vcard,
}: {
  readonly name: string;
  readonly phone_numbers?: readonly string[] | undefined;
  readonly vcard?: string | undefined;
}): SharedContact {
  return vcard === undefined
    ? { name, phone_numbers: numbers, vcard: writeCard(name, numbers) }
    : { name, phone_numbers: numbersOnCard(vcard), vcard };
}

function contactsText(contacts: readonly SharedContact[]): string {
  const [first, ...others] = contacts;
  if (first && others.length === 0) {
    return `Contact: ${[first.name, ...first.phone_numbers].filter(Boolean).join(', ')}`;
  }
  return `Contacts: ${contacts.map(({ name }) => name).join(', ')}`;
}
