import type { MessageKind, MessageKindAndPayload, MessagePayloads } from '@trunkline/receiver';
import * as z from 'zod';

const textOrNull = z.string().nullable();
const recording = z.strictObject({ seconds: z.number().nullable() });
const location = z.strictObject({
  latitude: z.number(),
  longitude: z.number(),
  name: textOrNull,
  address: textOrNull,
});

/** The payload schema of each kind of message; null for a kind without a payload. */
export const MESSAGE_PAYLOADS: {
  readonly [Kind in MessageKind]: z.ZodType<MessagePayloads[Kind]> | null;
} = {
  text: null,
  image: null,
  document: null,
  video: null,
  audio: null,
  sticker: z.strictObject({ animated: z.boolean() }),
  voice: recording,
  video_note: recording,
  location,
  live_location: location,
  contact: z.strictObject({
    contacts: z.array(
      z.strictObject({ name: z.string(), phone_numbers: z.array(z.string()), vcard: z.string() }),
    ),
  }),
  button_reply: z.strictObject({ id: z.string(), title: z.string() }),
  list_reply: z.strictObject({ id: z.string(), title: z.string(), description: textOrNull }),
  form_reply: z.strictObject({ name: z.string(), values: z.unknown() }),
  interactive: z.strictObject({
    buttons: z.array(z.strictObject({ id: z.string(), title: z.string() })),
  }),
  poll: z.strictObject({ question: z.string(), options: z.array(z.string()) }),
  order: z.strictObject({
    id: z.string(),
    item_count: z.number().nullable(),
    total: z.number().nullable(),
    currency: textOrNull,
  }),
  event: z.strictObject({ name: z.string(), description: textOrNull, starts_at: textOrNull }),
};

export const MESSAGE_KINDS: readonly MessageKind[] = Object.keys(MESSAGE_PAYLOADS) as MessageKind[]; // the table has no other keys

/** A kind with its payload, as given by a caller other than a gateway. */
export const messageDetail: z.ZodType<MessageKindAndPayload, unknown> = z
  .object({ kind: z.enum(MESSAGE_KINDS), payload: z.unknown() })
  .transform(({ kind, payload = null }, context): MessageKindAndPayload => {
    const read = (MESSAGE_PAYLOADS[kind] ?? z.null()).safeParse(payload);
    if (read.success) return { kind, payload: read.data } as MessageKindAndPayload; // checked by the schema of its kind
    for (const { message } of read.error.issues)
      context.addIssue(`The payload of the kind ${kind}: ${message}`);
    return z.NEVER;
  });
