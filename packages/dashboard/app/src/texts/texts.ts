import type { EN } from './en/index.ts';

/** The same keys and the same functions as in English, with other words. */
type Translated<Words> = Words extends string
  ? string
  : Words extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof Words]: Translated<Words[Key]> };

/** What a language has to have. */
export type Texts = Translated<typeof EN>;

export type TextsOf<Area extends keyof Texts> = Texts[Area];
