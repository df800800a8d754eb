import { invalid, unwrap } from '@trunkline/core/spi/http';
import type * as z from 'zod';
import type { JsonObject } from '@trunkline/http/spi';

/** Throws VALIDATION_FAILED, with each problem under the name of its field. */
export function readBody<Input>(schema: z.ZodType<Input, unknown>, body: JsonObject): Input {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const byField = Map.groupBy(read.error.issues, ({ path }) => path.join('.') || 'body');
  const fields = Object.fromEntries(
    [...byField].map(([field, issues]) => [field, issues.map(({ message }) => message)]),
  );
  return unwrap(invalid(fields));
}
