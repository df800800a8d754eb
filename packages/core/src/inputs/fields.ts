import * as z from 'zod';
import { TEXT_MAX } from '../domain/message/message.ts';

/** Text that every database can store: well-formed Unicode without NUL, counted in code points. */
export function storableText(min: number, max: number): z.ZodType<string, string> {
  return z
    .string()
    .refine(
      (text) => text.isWellFormed() && !text.includes('\0'),
      'Must be well-formed Unicode without NUL characters.',
    )
    .refine((text) => codePoints(text) <= max, `Must have at most ${max} characters.`)
    .refine((text) => codePoints(text) >= min, `Must have at least ${min} character${min === 1 ? '' : 's'}.`)
    .meta({ minLength: min, maxLength: max }); // JSON Schema counts code points too
}

/** U+0085 is white space in Unicode, but not in JavaScript. */
const NOT_WHITE_SPACE = /[^\s\u0085]/;

/** Text of at most this many characters that is not only white space. */
export function wordsWithin(max: number): z.ZodType<string, string> {
  return storableText(1, max).refine(
    (text) => NOT_WHITE_SPACE.test(text),
    'Must hold more than white space.',
  );
}

/** The text of a message. */
export const wordsField: z.ZodType<string, string> = wordsWithin(TEXT_MAX);

function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; count++) i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/**
 * A field of a JSON body that may be left out. Null counts as left out, because clients send the nulls of responses
 * back in their requests. Not for a field in which null has a meaning of its own.
 */
export function optionalField<Output>(
  schema: z.ZodType<Output, unknown>,
): z.ZodType<Output | undefined, unknown> {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A field that must be left out, with the reason. */
export function absentField(reason: string): z.ZodType<undefined, unknown> {
  return optionalField(z.never(reason));
}

/** A checked input, in which these fields are left out instead of null. */
export type WithoutNulls<Input, Field extends keyof Input> = Omit<Input, Field> & {
  readonly [Name in Field]?: Exclude<Input[Name], null>;
};

/** Page size (specification, "Limits"). */
const PAGE_LIMIT_MAX = 100;
const PAGE_LIMIT_DEFAULT = 25;

const timeWithZone = z.iso.datetime({ offset: true });
/** Long enough for any usual fraction of a second. */
const TIME_LENGTH_MAX = 40;

/** A time with its zone, such as `2026-11-22T09:30:00Z`, as epoch milliseconds. */
export function timeField(hint = ''): z.ZodType<number, unknown> {
  return z
    .string()
    .refine(
      (time) => time.length <= TIME_LENGTH_MAX && timeWithZone.safeParse(time).success,
      `Must be a time with its zone, such as 2026-11-22T09:30:00Z.${hint}`,
    )
    .meta({ format: 'date-time' })
    .transform((time) => Date.parse(time));
}

/** Selects a page of a list; `limit` may also be the text of a query parameter. */
export type PageQuery = {
  /** The maximum number of rows in a page, 1 to 100. Default 25. */
  readonly limit?: number | string | undefined;
  /** The `nextCursor` or `prevCursor` of another page. By default, the first page. */
  readonly cursor?: string | undefined;
  /**
   * An ISO 8601 time with its zone, such as `2026-11-22T09:30:00Z`: the first page begins with the newest row before
   * this time. Has no effect with a cursor. An addition to the specification.
   */
  readonly before?: string | undefined;
};
export type CheckedPageQuery = {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Epoch milliseconds. */
  readonly before?: number | undefined;
};

/** The query fields of every paginated list. */
export const pageFields: {
  readonly limit: z.ZodType<number, unknown>;
  readonly cursor: z.ZodType<string | undefined>;
  readonly before: z.ZodType<number | undefined, unknown>;
} = {
  limit: z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^[0-9]{1,9}$/)
          .transform(Number),
      ],
      'Must be a whole number.',
    )
    .pipe(z.int().min(1).max(PAGE_LIMIT_MAX))
    .default(PAGE_LIMIT_DEFAULT),
  cursor: z.string().min(1).max(512).optional(),
  before: timeField(' In a URL, write + as %2B.').optional(),
};
