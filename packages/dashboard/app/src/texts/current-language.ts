import { keptChoice } from '../shell/kept-choice.ts';

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

export function currentLanguage(): Language {
  return keptChoice('language', LANGUAGES) ?? preferred();
}

function preferred(): Language {
  for (const tag of navigator.languages) {
    const language = LANGUAGES.find((known) => tag.toLowerCase().split('-')[0] === known);
    if (language) return language;
  }
  return 'en';
}
