import { createContext, use, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { keepChoice } from '../shell/kept-choice.ts';
import { currentLanguage } from './current-language.ts';
import type { Language } from './current-language.ts';
import { areasIn, loadAreas, loadTexts } from './loaded-texts.ts';
import type { Area, TextsOf } from './texts.ts';

interface Chosen {
  readonly language: Language;
  /** The locale for Intl, with the browser's region if the browser lists the language. */
  readonly locale: string;
  choose(language: Language): void;
}

const LanguageContext = createContext<Chosen>({ language: 'en', locale: 'en', choose() {} });

export function LanguageProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState(currentLanguage);
  const newest = useRef(language);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);

  const choose = (chosen: Language): void => {
    keepChoice('language', chosen);
    newest.current = chosen;
    // The page keeps its language until its texts in the new one are loaded.
    void loadAreas(chosen, areasIn(language)).finally(() => {
      if (newest.current === chosen) setLanguage(chosen);
    });
  };
  return (
    <LanguageContext value={{ language, locale: localeOf(language), choose }}>{children}</LanguageContext>
  );
}

export function useLanguage(): Chosen {
  return use(LanguageContext);
}

/** The texts of one area. Suspends unless the page names the area in `routes.ts`, which loads its texts in advance. */
export function useTexts<Name extends Area>(area: Name): TextsOf<Name> {
  const { language } = use(LanguageContext);
  // Always `use`: a component that is drawn again after it was suspended has to call it for the same promises.
  return use(loadTexts(language, area));
}

function localeOf(language: Language): string {
  return (
    navigator.languages.find((tag) => tag.toLowerCase().split('-')[0] === language && isLocale(tag)) ??
    language
  );
}

/** Whether the tag is valid. A browser may report an invalid tag, such as `en-US@posix` in the locale C. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
