// The exports for runtimes such as `nodeRuntime()` and `edgeRuntime()`: time, randomness, cryptography and
// sockets. Unlike the names of `@trunkline/core`, these names may change with a minor version.
export type { Clock } from '../ports/clock.ts';
export type { Crypto } from '../ports/crypto.ts';
export type { DnsResolver } from '../ports/dns-resolver.ts';
export type { Random } from '../ports/random.ts';
export { pause, withDeadline } from '../runtime/deadline.ts';
export type { LinkPreviewer, LinkRequest, PagePreview } from '../ports/link-previewer.ts';
export type { WebhookRequest, WebhookResponse, WebhookSender } from '../ports/webhook-sender.ts';
