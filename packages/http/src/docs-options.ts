/** The options of `/docs`. */
export interface DocsOptions {
  /**
   * Reads the file `dist/browser/standalone.js` of the npm package `@scalar/api-reference`, which makes the page
   * interactive. Called when the page is first opened. The API serves the file, so the page loads nothing from another
   * host. By default, the page is a plain list of the operations without scripts.
   */
  readonly scalar?: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined;
}
