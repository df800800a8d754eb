import { idPattern } from '@trunkline/core/spi/http';
import type { IdPrefix } from '@trunkline/core/spi/http';
import * as z from 'zod';

export function id(prefix: IdPrefix): z.ZodType<string> {
  return z.string().regex(idPattern(prefix));
}

/** ISO 8601 in UTC, with milliseconds and a `+00:00` offset. */
export const timestamp: z.ZodType<string> = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  .meta({ format: 'date-time' });

export const timestampOrNull: z.ZodType<string | null> = timestamp.nullable();

export const count: z.ZodType<number> = z.int().min(0);

export const httpStatus: z.ZodType<number> = z.int().min(100).max(599);
