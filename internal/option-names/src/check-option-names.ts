import { didYouMean, resembling } from './did-you-mean.ts';

/** A table of every option of `Options`. TypeScript refuses a table that lacks an option or has an unknown one. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true };

/**
 * Throws a TypeError if the options are not an object, or name an option that does not exist. `owner` is the name of
 * the function that was called.
 */
export function checkOptionNames<Options extends object>(
  owner: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  const [unknown] = unknownNames(owner, options, names);
  if (unknown !== undefined) throw noSuchOption(owner, unknown, names);
}

/**
 * Like `checkOptionNames`, for objects with other fields, such as a request: ignores unknown names that resemble no
 * option.
 */
export function checkMisspelling<Options extends object>(
  owner: string,
  options: Options,
  names: OptionNames<Options>,
): void {
  for (const unknown of unknownNames(owner, options, names)) {
    if (resembling(unknown, Object.keys(names)) !== undefined) throw noSuchOption(owner, unknown, names);
  }
}

function unknownNames(owner: string, options: unknown, names: object): readonly string[] {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(
      `${owner}: the options must be an object, and are ${kindOf(options)}. It may have: ${Object.keys(names).join(', ')}.`,
    );
  }
  return Object.keys(options).filter((name) => !Object.hasOwn(names, name));
}

function noSuchOption(owner: string, name: string, names: object): TypeError {
  return new TypeError(`${owner}: there is no option "${name}". ${didYouMean(name, Object.keys(names))}`);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
