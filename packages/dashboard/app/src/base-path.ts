/**
 * The path of the dashboard without a trailing slash, such as `/dashboard`; empty at the root. Read from `<base>`,
 * which the server writes relative to the page, so that a proxy may add a prefix.
 */
export const BASE_PATH: string = new URL(document.baseURI).pathname.replace(/\/[^/]*$/, '');
