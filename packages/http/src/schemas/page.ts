import * as z from 'zod';
import type { list } from './response-body.ts';

export const cursor: z.ZodType<string | null> = z.string().max(512).nullable();
export const perPage: z.ZodType<number> = z.int().min(1).max(100);

/** The descriptions of the query parameters that every paged list has. */
export const PAGE_PARAMETERS = {
  limit: 'How many on a page.',
  cursor: 'Where the page begins: a cursor of another page of the same list.',
  before:
    'A time: without a cursor, the page begins with the newest row that was made before it. An addition of Trunkline.',
} as const;

const url = z.string().nullable();

export const EXAMPLE_ORIGIN = 'https://api.example.com/api/v1';

/**
 * The fields next to `data` on a page with links (`page-links.ts`). `name` is the plural for its rows, such as
 * `messages`. The OpenAPI document puts the path of each route into the example (`page-example.ts`).
 */
export function pageOfLinks(
  name: string,
  { next, previous }: { readonly next: string; readonly previous: string } = {
    next: 'older',
    previous: 'newer',
  },
): Required<Parameters<typeof list>>[2] {
  return {
    schemas: {
      links: z.strictObject({ first: z.null(), last: z.null(), prev: url, next: url }),
      meta: z.strictObject({
        path: z.string().meta({ description: 'The address of the list, without a query.' }),
        per_page: perPage,
        next_cursor: cursor.meta({ description: `Towards ${next} ${name}.` }),
        prev_cursor: cursor.meta({ description: `Towards ${previous} ${name}.` }),
      }),
    },
    example: {
      links: {
        first: null,
        last: null,
        prev: null,
        next: `${EXAMPLE_ORIGIN}/${name}?limit=1&cursor=eyJ2IjoxfQ`,
      },
      meta: {
        path: `${EXAMPLE_ORIGIN}/${name}`,
        per_page: 1,
        next_cursor: 'eyJ2IjoxfQ',
        prev_cursor: null,
      },
    },
  };
}
