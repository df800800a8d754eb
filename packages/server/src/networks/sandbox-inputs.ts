import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { TrunklineError, isTrunklineError } from '@trunkline/core';
import {
  invalid,
  MEDIA_TYPES,
  messageDetail,
  optionalField,
  parsePhoneNumber,
  unwrap,
} from '@trunkline/core/spi/http';
import type { MessageKindAndPayload } from '@trunkline/core/spi/http';
import type { Logger, MediaType } from '@trunkline/core';
import { checkContentEncoding } from '@trunkline/http/spi';
import { refused } from '../errors/error-response.ts';

/** How long the service keeps asking for a file, in seconds. */
const LONGEST_DELAY = 86_400;

/** Validates a phone number like a recipient's, and returns its digits. */
const phoneNumber = z.string().transform((text, context): string => {
  const number = parsePhoneNumber(text);
  if (number.ok) return number.digits;
  context.addIssue(`Must be a phone number, which ${number.rule}.`);
  return z.NEVER;
});

interface Scan {
  readonly phone_number?: string | undefined;
  readonly profile_name?: string | undefined;
  readonly passkey?: boolean | 'then_code' | undefined;
}

export const scanInput: z.ZodType<Scan, unknown> = z.object({
  phone_number: optionalField(phoneNumber),
  profile_name: optionalField(z.string().min(1).max(255)),
  passkey: optionalField(z.union([z.boolean(), z.literal('then_code')], 'Must be true, false or then_code.')),
});

interface AnyInbound {
  /** Null if the sender hides their number. */
  readonly from: string | null;
  readonly sender?: Sender | undefined;
  readonly group_id?: string | undefined;
  readonly detail?: MessageKindAndPayload | undefined;
  /** Epoch milliseconds. */
  readonly sent_at?: number | undefined;
  readonly reply_to?: string | undefined;
  readonly network_id?: string | undefined;
}

interface Sender {
  readonly network_id?: string | undefined;
  readonly name?: string | undefined;
  readonly username?: string | undefined;
}

interface InboundText extends AnyInbound {
  readonly text?: string | undefined;
  readonly file?: undefined;
}

interface InboundFile extends AnyInbound {
  readonly file: File;
  readonly type: MediaType;
  readonly caption?: string | undefined;
  /** `Infinity` if the network never delivers the file. */
  readonly delay_seconds?: number | undefined;
}

export type Inbound = InboundText | InboundFile;

/** A file's delay in seconds, as text because form fields have no numbers. */
const delay = z.string().transform((text, context): number => {
  if (text === 'never') return Infinity;
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (seconds >= 0 && seconds <= LONGEST_DELAY) return seconds;
  context.addIssue(`Must be "never", or a number of seconds from 0 to ${LONGEST_DELAY}.`);
  return z.NEVER;
});

/** Accepts an object, or its JSON text, as in a form. */
const objectOrJson = <Value>(schema: z.ZodType<Value, unknown>): z.ZodType<Value, unknown> =>
  z.preprocess((value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue('Must be an object, in a form as JSON.');
      return z.NEVER;
    }
  }, schema);

const name = z.string().min(1).max(255);
const anyInbound = z.object({
  from: phoneNumber.nullable().default(null),
  sender: optionalField(
    objectOrJson(
      z.object({
        network_id: optionalField(name),
        name: optionalField(name),
        username: optionalField(name),
      }),
    ),
  ),
  group_id: optionalField(z.string()),
  detail: optionalField(objectOrJson(messageDetail)),
  sent_at: optionalField(z.iso.datetime({ offset: true }).transform((at) => Date.parse(at))),
  reply_to: optionalField(z.string()),
  network_id: optionalField(name),
});
const hasSender = ({ from, sender }: AnyInbound): boolean =>
  from !== null || sender?.network_id !== undefined;
const NO_SENDER = { path: ['from'], error: 'Is required, unless the sender has a network_id.' };
const inboundText = anyInbound
  .extend({ text: optionalField(z.string().min(1).max(4096)), file: optionalField(z.undefined()) })
  .refine(hasSender, NO_SENDER)
  .refine(({ text, detail }) => text !== undefined || detail !== undefined, {
    path: ['text'],
    error: 'Is required, unless there is a detail.',
  });
const inboundFile = anyInbound
  .extend({
    file: z.instanceof(File, { error: 'Must be a file, in a multipart form.' }),
    type: z.enum(MEDIA_TYPES),
    caption: optionalField(z.string().max(1024)),
    delay_seconds: optionalField(delay),
  })
  .refine(hasSender, NO_SENDER);

export const inboundInput: z.ZodType<Inbound, unknown> = z
  .looseObject({})
  .transform((fields, context): Inbound => {
    const read = ((fields.file ?? null) === null ? inboundText : inboundFile).safeParse(fields);
    if (read.success) return read.data;
    for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });

/** An action on a message, by `from` or, if that is omitted, by the owner of the phone. */
interface Deed {
  readonly message: string;
  readonly from?: string | undefined;
}

/** A number as digits, or the network id of a person who hides their number. */
const person = z
  .string()
  .min(1)
  .max(255)
  .transform((text): string => {
    const number = parsePhoneNumber(text);
    return number.ok ? number.digits : text;
  });

const deed = z.object({ message: z.string(), from: optionalField(person) });

export const reactionInput: z.ZodType<Deed & { readonly emoji: string | null }, unknown> = deed.extend({
  emoji: z.string().min(1).max(100).nullable(),
});

export const voteInput: z.ZodType<Deed & { readonly options: readonly string[] }, unknown> = deed.extend({
  options: z.array(z.string().min(1).max(100)).max(12),
});

export const editInput: z.ZodType<Deed & { readonly text: string }, unknown> = deed.extend({
  text: z.string().min(1).max(4096),
});

export const deletionInput: z.ZodType<Deed, unknown> = deed;

interface EchoInput {
  readonly to?: string | undefined;
  readonly group_id?: string | undefined;
  readonly text: string;
}

export const echoInput: z.ZodType<EchoInput, unknown> = z
  .object({
    to: optionalField(phoneNumber),
    group_id: optionalField(z.string()),
    text: z.string().min(1).max(4096),
  })
  .refine(({ to, group_id }) => (to === undefined) !== (group_id === undefined), {
    path: ['to'],
    error: 'Must be there unless group_id is, and not with it.',
  });

interface FromSomebody {
  readonly from: string;
  readonly group_id?: string | undefined;
}

const fromSomebody = z.object({ from: phoneNumber, group_id: optionalField(z.string()) });

export const joinRequestInput: z.ZodType<{ readonly group_id: string; readonly from: string }, unknown> =
  z.object({ group_id: z.string(), from: phoneNumber });

interface OfferInput {
  readonly name: string;
  readonly asks_admin?: boolean | undefined;
}

export const offerInput: z.ZodType<OfferInput, unknown> = z.object({
  name: z.string().min(1).max(100),
  asks_admin: optionalField(z.boolean()),
});

export const callInput: z.ZodType<FromSomebody & { readonly video?: boolean | undefined }, unknown> =
  fromSomebody.extend({ video: optionalField(z.boolean()) });

export const undecryptableInput: z.ZodType<
  FromSomebody & { readonly reason?: 'no_key' | 'view_once' | undefined },
  unknown
> = fromSomebody.extend({ reason: optionalField(z.enum(['no_key', 'view_once'])) });

interface NewGroup {
  readonly name: string;
  readonly participants_count: number;
}

export const groupInput: z.ZodType<NewGroup, unknown> = z.object({
  // The added group is looked up by its stored name, and no database stores a lone surrogate.
  name: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .refine((text) => text.isWellFormed(), 'Must be well-formed Unicode.'),
  participants_count: z.int().min(1).max(100_000),
});

export const noInput: z.ZodType<object, unknown> = z.object({});

export interface Reading {
  readonly maxBytes: number;
  readonly logger: Logger;
}

/**
 * Reads the body, JSON or a multipart form; an empty body counts as `{}`. Throws PAYLOAD_TOO_LARGE, or
 * VALIDATION_FAILED with a complaint for each wrong field.
 */
export async function readInput<Input>(
  c: Context,
  schema: z.ZodType<Input, unknown>,
  reading: Reading,
): Promise<Input> {
  const read = schema.safeParse(await readBody(c, reading));
  if (read.success) return read.data;
  const fields: Record<string, string[]> = {};
  for (const { path, message } of read.error.issues) (fields[String(path[0] ?? 'body')] ??= []).push(message);
  throw new TrunklineError(invalid(fields).refusal);
}

async function readBody(c: Context, { maxBytes, logger }: Reading): Promise<unknown> {
  const isForm = c.req.header('Content-Type')?.startsWith('multipart/form-data');
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError() {
      throw refused('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`);
    },
  });
  try {
    unwrap(checkContentEncoding(c.req.raw));
    await limit(c, async () => {});
    if (isForm) return await c.req.parseBody();
    const text = await c.req.text();
    return text === '' ? {} : JSON.parse(text);
  } catch (error) {
    if (isTrunklineError(error)) throw error;
    // Other errors mean that the client disconnected.
    if (!(error instanceof SyntaxError || error instanceof TypeError))
      logger.debug({ err: error, path: c.req.path }, 'a request ended before its body was complete');
    const complaint = `Must be ${isForm ? 'a whole multipart form' : 'valid JSON'}.`;
    throw new TrunklineError(invalid({ body: [complaint] }).refusal);
  }
}
