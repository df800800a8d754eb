/** The path below which the site is served, such as `/0.1`; empty at the root of its host. */
export const base: string = (process.env['SITE_BASE'] ?? '').replace(/\/$/, '');

/** The origin of the site, for the sitemap and for search engines, such as `https://docs.example.com`; optional. */
export const site: string | undefined = process.env['SITE_URL'];
