/**
 * Which URLs an endpoint may have. `local` is for development: it adds http, any port and loopback
 * addresses to what `public` allows, and nothing else.
 */
export type UrlPolicy = 'public' | 'local';
