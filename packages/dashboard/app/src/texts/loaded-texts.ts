import type { Language } from './current-language.ts';
import { EN } from './en/index.ts';
import { ES } from './es/index.ts';
import type { Area, TextFiles, TextsOf } from './texts.ts';

const FILES: Readonly<Record<Language, TextFiles>> = { en: EN, es: ES };

type Loading = { [Name in Area]?: Promise<TextsOf<Name>> };

const loaded: Readonly<Record<Language, Set<Area>>> = { en: new Set(), es: new Set() };
const loading: Readonly<Record<Language, Loading>> = { en: {}, es: {} };

/**
 * Fetches the texts of an area once. A failure is cached too, or a suspended page would request them in a loop. Once they
 * are there, the promise has them as React keeps what a promise was fulfilled with: `use` then returns without suspending.
 */
export function loadTexts<Name extends Area>(language: Language, area: Name): Promise<TextsOf<Name>> {
  const known: Promise<TextsOf<Name>> | undefined = loading[language][area];
  if (known) return known;
  const texts = fetchTexts(language, area);
  Object.assign(loading[language], { [area]: texts });
  texts.then(
    (value) => Object.assign(texts, { status: 'fulfilled', value }),
    () => {},
  );
  return texts;
}

/** Loads the texts of these areas. Requests those that failed earlier again. */
export async function loadAreas(language: Language, areas: readonly Area[]): Promise<void> {
  await Promise.all(
    areas.map((area) =>
      loadTexts(language, area).catch(() => {
        delete loading[language][area];
        return loadTexts(language, area);
      }),
    ),
  );
}

export function areasIn(language: Language): readonly Area[] {
  return [...loaded[language]];
}

async function fetchTexts<Name extends Area>(language: Language, area: Name): Promise<TextsOf<Name>> {
  const texts: TextsOf<Name> = await FILES[language][area]().catch((error: unknown) => {
    // If an update of the service removed the file, the page shows English instead of nothing.
    if (language !== 'en') return loadTexts('en', area);
    throw error;
  });
  loaded[language].add(area);
  return texts;
}
