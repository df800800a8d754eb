import { didYouMean } from '@trunkline/option-names';
import { optionOf, variablesBy } from './setting-names.ts';
import { allSettings } from './settings.ts';
import type { GivenSetting } from './settings.ts';

/** Ignores variables that are not settings, because they belong to other programs. */
export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): readonly GivenSetting[] {
  return allSettings().flatMap(({ variable }) => {
    const text = environment[variable];
    return text === undefined ? [] : [{ variable, name: variable, text }];
  });
}

/** Throws a TypeError for an unknown name, or a value of a type that no setting has. */
export function fromOptions(options: Readonly<Record<string, unknown>>): readonly GivenSetting[] {
  const known = variablesBy(optionOf);
  return Object.entries(options).flatMap(([option, value]) => {
    const variable = known.get(option);
    if (variable === undefined)
      throw new TypeError(`serve: there is no option "${option}". ${didYouMean(option, [...known.keys()])}`);
    if (value === undefined) return [];
    const text = textOf(value);
    if (text === undefined)
      throw new TypeError(
        `serve: the option "${option}" must be a string, a number, a boolean or a list of strings.`,
      );
    return [{ variable, name: option, text }];
  });
}

/** Returns a value as text, as in the environment; undefined if text cannot represent it. */
export function textOf(value: unknown): string | undefined {
  if (Array.isArray(value))
    return value.every((entry) => typeof entry === 'string' && !entry.includes(','))
      ? value.join(',')
      : undefined;
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}
