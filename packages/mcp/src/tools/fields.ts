import { optionalField } from '@trunkline/core/spi/http';
import * as z from 'zod';

// Shared by several tools.

/** The length at which texts on a page are cut, so that the result fits a model's context. */
export const LONGEST_IN_PAGE = 2_000;
/** The length at which texts of a single object are cut. */
export const LONGEST_ALONE = 16_384;

const MOST_ON_PAGE = 50;
const DEFAULT_ON_PAGE = 20;

export function idOf(what: string): z.ZodType<string> {
  return z.string().min(1).max(40).describe(`The id of ${what}.`);
}

export const cursor: z.ZodType<string | undefined, unknown> = optionalField(
  z.string().min(1).max(512),
).describe('The next_cursor of the previous page, with the same other arguments.');

export const limit: z.ZodType<number, number | undefined> = z
  .int()
  .min(1)
  .max(MOST_ON_PAGE)
  .default(DEFAULT_ON_PAGE)
  .describe('How many on a page.');

export const before: z.ZodType<string | undefined, unknown> = optionalField(
  z.iso.datetime({ offset: true }).max(40),
).describe('Only what is older than this time, such as 2026-11-22T09:30:00Z. Not together with cursor.');

export const nextCursor: z.ZodType<string | null> = z
  .string()
  .nullable()
  .describe('For the next page, which is older. Null if this is the last.');

const time = (meaning: string): z.ZodType<string | undefined, unknown> =>
  optionalField(z.iso.datetime({ offset: true }).max(40)).describe(meaning);

/** The periods of counts over time. Quarters of an hour would not fit a model's context. */
export const periods: {
  readonly from: z.ZodType<string | undefined, unknown>;
  readonly to: z.ZodType<string | undefined, unknown>;
  readonly step: z.ZodType<'hour' | 'day', 'hour' | 'day' | undefined>;
} = {
  from: time('A time with its zone, at most 31 days before `to`. By default a day before it.'),
  to: time('The end, by default now.'),
  step: z
    .enum(['hour', 'day'])
    .default('hour')
    .describe('The length of a period, in UTC. For more than two days, take days.'),
};
