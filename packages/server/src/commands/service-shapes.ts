import * as z from 'zod';

// The parts of responses that commands read. Parts that commands only pass on, or that a newer service adds, are not
// checked. Ids are limited to characters that are safe in a shell, because people paste them there.

const id = z.string().regex(/^[\w.:@-]{1,128}$/, 'expected an id');
const count = z.number().min(0);
const text = z.string();
const textOrNull = text.nullable();

export type Shape = z.ZodType;

/** A reply whose fields are not read by name, such as the reply to a deletion. */
export const anyObject: Shape = z.looseObject({});

export const instance: Shape = z.object({
  id,
  name: text,
  network: text,
  status: text,
  phone_number: textOrNull,
  profile_name: textOrNull,
  pace: textOrNull.optional(),
  last_error: textOrNull,
  status_changed_at: textOrNull,
});

export const numberLookup: Shape = z.object({
  number: text,
  on_network: z.boolean(),
  registered_number: textOrNull,
});

export const message: Shape = z.object({
  id,
  instance_id: id,
  direction: text,
  type: text,
  status: text,
  kind: text,
  to: textOrNull,
  from: textOrNull,
  group_id: id.nullable(),
  contact: z.object({ id, name: textOrNull }).nullable(),
  reply_to: id.nullable(),
  text: textOrNull,
  caption: textOrNull,
  media: z.object({ filename: text }).nullable(),
  send_at: text.optional(),
  error: z.object({ code: text, message: text }).nullable(),
  created_at: text,
  sent_at: textOrNull,
  delivered_at: textOrNull,
  read_at: textOrNull,
  failed_at: textOrNull,
});

export const action: Shape = z.object({
  id,
  message_id: id,
  kind: text,
  emoji: textOrNull,
  text: textOrNull,
  status: text,
  error: z.object({ code: text, message: text }).nullable(),
  created_at: text,
  sent_at: textOrNull,
  failed_at: textOrNull,
});

export const vote: Shape = z.object({
  options: z.array(text),
  own: z.boolean(),
  contact: z.object({ id, name: textOrNull, phone_number: textOrNull }).nullable(),
  at: textOrNull,
});

export const chat: Shape = z.object({
  counterpart: text,
  name: textOrNull,
  last_message: z.object({
    id,
    created_at: text,
    direction: text,
    status: text,
    excerpt: textOrNull,
  }),
});

export const standing: Shape = z.object({ sentence: text });

const groupFields = { id, name: text, participants_count: count };
export const group: Shape = z.object(groupFields);

const groupPerson = { phone_number: textOrNull, contact_id: textOrNull, name: textOrNull };
export const groupDetail: Shape = z.object({
  ...groupFields,
  description: textOrNull,
  participants: z.array(z.object({ ...groupPerson, role: text, is_self: z.boolean() })),
});

const result = z.object({ participant: text, outcome: text, reason: textOrNull });
export const participantResult: Shape = result;
export const newGroup: Shape = z.object({ ...groupFields, participants: z.array(result) });
export const groupInvite: Shape = z.object({ link: text });
export const joinedGroup: Shape = z.object({ group: z.object(groupFields).nullable() });
export const joinRequest: Shape = z.object({ ...groupPerson, requested_at: textOrNull });

export const historyEntry: Shape = z.object({
  at: text,
  from: textOrNull,
  to: textOrNull,
  description: text,
  code: textOrNull,
  network_code: textOrNull,
  count,
  last_at: text,
  process: textOrNull,
  previous_process: textOrNull,
  next: z.object({ text }).nullable(),
});

export const qr: Shape = z.object({
  // WhatsApp's codes have a few hundred characters.
  code: z.string().min(1).max(900),
  pairing_code: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'expected a pairing code')
    .nullable(),
  expires_at: text,
});

export const passkey: Shape = z.object({
  step: z.enum(['assertion', 'phone', 'confirmation']),
  page: z
    .url({ protocol: /^https?$/ })
    .max(200)
    .nullable(),
  // Printed as it is, so that it can be copied.
  script: z
    .string()
    .regex(/^[\n\x20-\x7e]{1,40000}$/, 'expected a script')
    .nullable(),
  code: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'expected a code')
    .nullable(),
  expires_at: z.iso.datetime({ offset: true }),
});

const endpoint = {
  id,
  url: text,
  status: text,
  disabled_reason: textOrNull,
  events: z.array(text),
  instances: z.array(id).nullable(),
  description: textOrNull,
  trace_context: z.boolean(),
  failing_since: textOrNull,
  auto_disable_at: textOrNull,
  secret_hint: text,
  secret_begins_at: textOrNull,
  last_delivery: z.object({ id, status: text, at: text }).nullable(),
};

export const webhook: Shape = z.object(endpoint);

export const webhookWithSecret: Shape = z.object({
  ...endpoint,
  secret: z.string().regex(/^[\x21-\x7e]{1,200}$/, 'expected a secret'),
});

const durations = z.object({ p50_ms: count.nullable(), p95_ms: count.nullable() });
const failures = z.record(z.string().regex(/^\w{1,64}$/, 'expected a code'), count);

/** The counts of messages in each period. */
export const traffic: Shape = z.object({
  periods: z.array(
    z.object({
      start: text,
      received: count,
      sent: count,
      delivered: count,
      read: count,
      failed: failures,
      time_to_network: durations,
    }),
  ),
});

/** The counts of attempts in each period. */
export const webhookTraffic: Shape = z.object({
  periods: z.array(z.object({ start: text, succeeded: count, failed: failures, duration: durations })),
});

const sent = {
  id,
  webhook_id: id,
  event: z.object({ id, type: text }),
  status: text,
  attempts: count,
  max_attempts: count,
  response_status: count.nullable(),
  error_code: textOrNull,
  next_retry_at: textOrNull,
  created_at: text,
};

export const delivery: Shape = z.object(sent);

export const deliveryDetail: Shape = z.object({
  ...sent,
  request: z.object({ url: textOrNull }),
  attempt_log: z.array(
    z.object({
      at: text,
      attempt: count,
      manual: z.boolean(),
      response_status: count.nullable(),
      error_code: textOrNull,
      duration_ms: count,
      response_body: textOrNull,
    }),
  ),
  waiting: z.object({ reason: text, until: textOrNull }).optional(),
});

export const retried: Shape = z.object({ requeued: count, remaining: count });

/** An event as webhooks report it; most events omit empty fields. */
export const event: Shape = z.object({
  id,
  type: text,
  created_at: text,
  data: z.object({
    message: z
      .object({
        id,
        instance_id: id.nullish(),
        direction: text,
        from: text.nullish(),
        to: text.nullish(),
        text: text.nullish(),
        caption: text.nullish(),
      })
      .optional(),
    instance: z.object({ id, name: text, status: text }).optional(),
    call: z.object({ instance_id: id }).optional(),
    undecryptable: z.object({ instance_id: id }).optional(),
  }),
});

export function one(shape: Shape): Shape {
  return z.object({ data: shape });
}

/** A reply with the requested resource. Checks the id, because a reply about another resource would go unnoticed. */
export function theOne(shape: Shape, asked: string): Shape {
  const named = z.object({ id }).refine((found) => found.id === asked, 'expected what was asked for');
  return z.object({ data: shape.and(named) });
}

/** A reply with an action on this message. */
export function anActionOn(messageId: string): Shape {
  const about = action.refine(
    (found) => Object(found)['message_id'] === messageId,
    'expected an action on the message',
  );
  return z.object({ data: about });
}

/** A list that the API does not divide into pages. */
export function list(shape: Shape): Shape {
  return z.object({ data: z.array(shape) });
}

export function page(shape: Shape): Shape {
  return z.object({
    data: z.array(shape),
    nextCursor: z.string().max(512).nullable(),
  });
}
