// What a runtime is written against, as `nodeRuntime()` and `edgeRuntime()` are: time, randomness, cryptography and
// sockets. Unlike the names of `@trunkline/core`, these may change with a minor version.
export type { Clock } from '../ports/clock.ts';
export type { Crypto } from '../ports/crypto.ts';
export type { DnsResolver } from '../ports/dns-resolver.ts';
export type { Random } from '../ports/random.ts';
export { pause, withDeadline } from '../runtime/deadline.ts';
export type { WebhookRequest, WebhookResponse, WebhookSender } from '../ports/webhook-sender.ts';
