import { allSettings } from './settings.ts';

// A setting has one name, which each source spells differently: PUBLIC_URL, public_url, publicUrl, --public-url.

/** The name in the configuration file. */
export function keyOf(variable: string): string {
  return variable.toLowerCase();
}

/** The name as an option of `serve`. */
export function optionOf(variable: string): string {
  return keyOf(variable).replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The name on the command line. */
export function flagOf(variable: string): string {
  return `--${keyOf(variable).replaceAll('_', '-')}`;
}

/** Maps the names of all settings, in this spelling, to their variables. */
export function variablesBy(spelling: (variable: string) => string): ReadonlyMap<string, string> {
  return new Map(allSettings().map(({ variable }) => [spelling(variable), variable]));
}
