import type { EN } from './en/index.ts';

/** The same keys and the same functions as in English, with other words. */
type Translated<Words> = Words extends string
  ? string
  : Words extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Words]: Translated<Words[Key]> };

/** The words of one part of the dashboard: `numbers`. */
export type Area = keyof typeof EN;

/** The texts that a language must have for an area. */
export type TextsOf<Name extends Area> = Translated<Awaited<ReturnType<(typeof EN)[Name]>>>;

/** A language: the functions that fetch the texts of each area. */
export type TextFiles = { readonly [Name in Area]: () => Promise<TextsOf<Name>> };
