import type { Language } from './current-language.ts';

/** The text to show if no other text can be fetched. */
export const NOT_LOADED: Readonly<Record<Language, string>> = {
  en: 'The dashboard could not be loaded. Check the network, and reload the page.',
  es: 'No se pudo cargar el panel. Compruebe la red y recargue la página.',
};
