export { checkUrl, isPublicAddress } from './rules.ts';
export type { CheckedUrl, SafeUrl } from './rules.ts';
export { isAllowedAddress } from '../domain/endpoint/address-rules.ts';
export { resolveSafely } from './resolve-safely.ts';
export type { ResolvedHost, ResolveOptions } from './resolve-safely.ts';
export type { UrlPolicy } from '../domain/endpoint/address-rules.ts';
