import type { EN } from './en/index.ts';

/** The same keys and the same functions as in English, with other words. */
type Translated<Words> = Words extends string
  ? string
  : Words extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Words]: Translated<Words[Key]> };

/** The words of one part of the dashboard: `numbers`. */
export type Area = keyof typeof EN;

/** What a language has to have for an area. */
export type TextsOf<Name extends Area> = Translated<Awaited<ReturnType<(typeof EN)[Name]>>>;

/** A language: what fetches the words of each area. */
export type TextFiles = { readonly [Name in Area]: () => Promise<TextsOf<Name>> };
