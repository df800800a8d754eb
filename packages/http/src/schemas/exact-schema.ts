import type * as z from 'zod';

/** The type without `readonly`, which schemas cannot express. */
type Plain<Type> = Type extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Type extends object
    ? { -readonly [Key in keyof Type]: Plain<Type[Key]> }
    : Type;

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

/**
 * Accepts only a schema that matches the resource exactly: a field or a value that only one of them has does not
 * compile.
 */
export function exactSchema<Resource>(): <Schema extends z.ZodType>(
  schema: Schema & (Same<Plain<z.output<Schema>>, Plain<Resource>> extends true ? unknown : never),
) => z.ZodType<Resource> {
  return (schema) => schema as unknown as z.ZodType<Resource>; // proven by the type of the parameter
}
