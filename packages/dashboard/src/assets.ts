export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same bytes compressed; null if there is no compressed form. */
  readonly gzip: Uint8Array<ArrayBuffer> | null;
}

/**
 * Finds a file by its name below the dashboard's path, such as `index.html` or `assets/main-1a2b3c.js`; null if there
 * is none.
 */
export type Assets = (name: string) => Promise<Asset | null>;

/** The document that every page starts from. */
export const DOCUMENT = 'index.html';

/** The files that each page needs, as JSON: a list of `PageFiles`. */
export const PAGES = 'pages.json';

/** The scripts of a page, without those that every page loads. */
export interface PageFiles {
  /** The route's pattern, such as `/w/$workspace/numbers`. */
  readonly path: string;
  readonly files: readonly string[];
  /** The files of the page's texts, by language. */
  readonly texts: { readonly en: readonly string[]; readonly es: readonly string[] };
}
