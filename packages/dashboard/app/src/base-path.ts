/**
 * The path of the dashboard, without a trailing slash: `/dashboard`, or an empty string at the root. The path comes
 * from the page's `<base>`, which the server writes relative to the page, so that a proxy may add a prefix.
 */
export const BASE_PATH: string = new URL(document.baseURI).pathname.replace(/\/[^/]*$/, '');
