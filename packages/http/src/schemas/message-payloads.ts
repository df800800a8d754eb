import type { MessageKind, MessagePayload, MessagePayloads } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { exactly } from './exactly.ts';

const textOrNull = z.string().nullable();
const recording = exactly<MessagePayloads['voice']>()(z.strictObject({ seconds: z.number().nullable() }));

const location = exactly<MessagePayloads['location']>()(
  z.strictObject({ latitude: z.number(), longitude: z.number(), name: textOrNull, address: textOrNull }),
);

/** The fields of each kind; null for a kind that has none. */
const PAYLOADS: { readonly [Kind in MessageKind]: z.ZodType<MessagePayloads[Kind]> | null } = {
  text: null,
  image: null,
  document: null,
  video: null,
  audio: null,
  sticker: exactly<MessagePayloads['sticker']>()(z.strictObject({ animated: z.boolean() })),
  voice: recording,
  video_note: recording,
  location,
  live_location: location,
  contact: exactly<MessagePayloads['contact']>()(
    z.strictObject({
      contacts: z.array(
        z.strictObject({ name: z.string(), phone_numbers: z.array(z.string()), vcard: z.string() }),
      ),
    }),
  ),
  button_reply: exactly<MessagePayloads['button_reply']>()(
    z.strictObject({ id: z.string(), title: z.string() }),
  ),
  list_reply: exactly<MessagePayloads['list_reply']>()(
    z.strictObject({ id: z.string(), title: z.string(), description: textOrNull }),
  ),
  form_reply: exactly<MessagePayloads['form_reply']>()(
    z.strictObject({ name: z.string(), values: z.unknown() }),
  ),
  interactive: exactly<MessagePayloads['interactive']>()(
    z.strictObject({ buttons: z.array(z.strictObject({ id: z.string(), title: z.string() })) }),
  ),
  poll: exactly<MessagePayloads['poll']>()(
    z.strictObject({ question: z.string(), options: z.array(z.string()) }),
  ),
  order: exactly<MessagePayloads['order']>()(
    z.strictObject({
      id: z.string(),
      item_count: z.number().nullable(),
      total: z.number().nullable(),
      currency: textOrNull,
    }),
  ),
  event: exactly<MessagePayloads['event']>()(
    z.strictObject({ name: z.string(), description: textOrNull, starts_at: textOrNull }),
  ),
};

export const kind: z.ZodType<MessageKind> = z
  .enum(Object.keys(PAYLOADS) as MessageKind[]) // its own keys
  .meta({
    description: 'Finer than `type`, and the same if there is no more to say. New kinds may be added.',
  });

export const payload: z.ZodType<MessagePayload | null> = (
  z.union(
    [...new Set(Object.values(PAYLOADS))].filter((schema) => schema !== null),
  ) as z.ZodType<MessagePayload>
) // of the schemas above
  .nullable()
  .meta({ description: 'The fields of the kind, if it has any.' });
