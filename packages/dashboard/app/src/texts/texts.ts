import type { EN } from './en/index.ts';

/** The same keys and functions as the English texts. */
type Translated<Words> = Words extends string
  ? string
  : Words extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Words]: Translated<Words[Key]> };

/** The name of a part of the dashboard that has its own texts, such as `numbers`. */
export type Area = keyof typeof EN;

/** The texts that a language must have for an area. */
export type TextsOf<Name extends Area> = Translated<Awaited<ReturnType<(typeof EN)[Name]>>>;

/** For each area, a function that fetches its texts. */
export type TextFiles = { readonly [Name in Area]: () => Promise<TextsOf<Name>> };
