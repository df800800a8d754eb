/** A file of the browser's side. */
export interface Asset {
  /** Its content type. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same compressed; null for what compression does not make smaller. */
  readonly gzip: Uint8Array<ArrayBuffer> | null;
}

/**
 * Finds a file by its name below the dashboard's path, such as `index.html` or `assets/main-1a2b3c.js`. What is below
 * `assets/` never changes under its name.
 */
export type Assets = (name: string) => Promise<Asset | null>;

/** The page that every path leads to. */
export const DOCUMENT = 'index.html';

/** What each page needs, as JSON: a list of `PageFiles`. */
export const PAGES = 'pages.json';

/** The scripts of a page, beside those that every page has. */
export interface PageFiles {
  /** As the router has it: `/w/$workspace/numbers`. */
  readonly path: string;
  readonly files: readonly string[];
  /** Its words, by language. */
  readonly texts: { readonly en: readonly string[]; readonly es: readonly string[] };
}
