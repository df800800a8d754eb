export { checkUrl } from './check-url.ts';
export type { CheckedUrl, SafeUrl } from './check-url.ts';
export { isAllowedAddress, isPublicAddress } from './addresses.ts';
export { resolveSafely } from './resolve-safely.ts';
export type { ResolvedHost, ResolveOptions } from './resolve-safely.ts';
export type { UrlPolicy } from '../domain/webhook/address-rules.ts';
