import * as z from 'zod';

export const cursor: z.ZodType<string | null> = z.string().max(512).nullable();
export const perPage: z.ZodType<number> = z.int().min(1).max(100);

/** What the query parameters of every list with pages mean. */
export const PAGE_PARAMETERS = {
  limit: 'How many on a page.',
  cursor: 'Where the page begins: a cursor of another page of the same list.',
} as const;
