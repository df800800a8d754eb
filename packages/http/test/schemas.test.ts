import { expect, test } from 'vitest';
import * as z from 'zod';
import { exactSchema } from '../src/schemas/exact-schema.ts';

interface Dot {
  readonly x: number;
  readonly tags: readonly ('a' | 'b')[];
}
const x = z.number();
const tags = z.array(z.enum(['a', 'b']));

// The compiler is the test: it fails if an expected error does not occur.
test('the compiler rejects a schema that drifts from its resource', () => {
  exactSchema<Dot>()(z.strictObject({ x, tags }));
  // @ts-expect-error: a field is missing
  exactSchema<Dot>()(z.strictObject({ x }));
  // @ts-expect-error: a field too many
  exactSchema<Dot>()(z.strictObject({ x, tags, y: z.string() }));
  // @ts-expect-error: a value too many
  exactSchema<Dot>()(z.strictObject({ x, tags: z.array(z.enum(['a', 'b', 'c'])) }));
  // @ts-expect-error: a value is missing
  exactSchema<Dot>()(z.strictObject({ x, tags: z.array(z.enum(['a'])) }));
  // @ts-expect-error: null is not promised
  exactSchema<Dot>()(z.strictObject({ x: x.nullable(), tags }));
  expect(exactSchema<Dot>()(z.strictObject({ x, tags })).safeParse({ x: 1, tags: [], y: 2 }).success).toBe(
    false,
  );
});
