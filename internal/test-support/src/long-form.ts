/**
 * Whether this is `pnpm test:long`, which runs long tests in full. `pnpm test` runs their short form, which still fails
 * when the tested mechanism breaks. `long-files.ts` finds the files that have a long form: those that reach this
 * module.
 */
export const isLongForm: boolean = process.env['TEST_FORM'] === 'long';

interface Sizes {
  readonly short: number;
  readonly long: number;
}

/**
 * How often a test repeats something, or how much it stores: the environment variable `name` if it is set, otherwise
 * the size of this form.
 */
export function sized(name: string, { short, long }: Sizes): number {
  const given = process.env[name];
  if (given === undefined || given === '') return isLongForm ? long : short;
  const size = Number(given);
  if (!Number.isInteger(size) || size < 0) throw new Error(`${name} must be a whole number, not "${given}".`);
  return size;
}
