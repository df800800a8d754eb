import * as z from 'zod';
import { pageFields } from './fields.ts';
import type { CheckedPageQuery, PageQuery } from './fields.ts';

/** Selects a page of the chats of an instance. */
export type ChatQuery = PageQuery;
export const chatQuery: z.ZodType<CheckedPageQuery, unknown> = z.object({ ...pageFields });
