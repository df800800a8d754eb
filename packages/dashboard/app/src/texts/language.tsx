import { createContext, useContext, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { keptChoice, keepChoice } from '../shell/kept-choice.ts';
import { EN } from './en/index.ts';
import type { Texts } from './texts.ts';

export const LANGUAGES = ['en', 'es'] as const;
type Language = (typeof LANGUAGES)[number];

interface Chosen {
  readonly language: Language;
  readonly texts: Texts;
  /** For Intl: the viewer's own region where the language is theirs. */
  readonly locale: string;
  choose(language: Language): void;
}

const LanguageContext = createContext<Chosen>({ language: 'en', texts: EN, locale: 'en', choose() {} });

/** The language of the browser, or the one chosen for this tab. English is in the first file, others are read when needed. */
export function LanguageProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState<Language>(() => keptChoice('language', LANGUAGES) ?? preferred());
  const [loaded, setLoaded] = useState<{ readonly language: Language; readonly texts: Texts } | null>(
    language === 'en' ? { language, texts: EN } : null,
  );

  useEffect(() => {
    let isCurrent = true;
    void load(language).then((texts) => {
      if (!isCurrent) return;
      document.documentElement.lang = language;
      setLoaded({ language, texts });
    });
    return () => {
      isCurrent = false;
    };
  }, [language]);

  if (loaded === null) return null;
  const choose = (chosen: Language): void => {
    keepChoice('language', chosen);
    setLanguage(chosen);
  };
  return (
    <LanguageContext
      value={{ language: loaded.language, texts: loaded.texts, locale: localeOf(loaded.language), choose }}
    >
      {children}
    </LanguageContext>
  );
}

export function useLanguage(): Chosen {
  return useContext(LanguageContext);
}

/** The texts of one area. */
export function useTexts<Area extends keyof Texts>(area: Area): Texts[Area] {
  return useContext(LanguageContext).texts[area];
}

async function load(language: Language): Promise<Texts> {
  switch (language) {
    case 'en':
      return EN;
    case 'es':
      // A file that cannot be fetched (an update of the service in between) must not empty the page.
      return import('./es/index.ts').then(({ ES }) => ES).catch(() => EN);
  }
}

function preferred(): Language {
  for (const tag of navigator.languages) {
    const language = LANGUAGES.find((known) => tag.toLowerCase().split('-')[0] === known);
    if (language) return language;
  }
  return 'en';
}

function localeOf(language: Language): string {
  return (
    navigator.languages.find((tag) => tag.toLowerCase().split('-')[0] === language && isLocale(tag)) ??
    language
  );
}

/** A browser may name what is no language tag: `en-US@posix`, in the locale C. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
