import type { Area } from '../api/keys.ts';

/** Every event type that the stream may bring, the opt-in ones too. A deployment's own new ones come with an update. */
export const HINT_TYPES = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.echo',
  'message.reaction',
  'message.edited',
  'message.deleted',
  'message.undecryptable',
  'message.media_available',
  'instance.connected',
  'instance.disconnected',
  'instance.qr_required',
  'instance.error',
  'call.received',
] as const;

/** What an event makes out of date. Each event has deliveries, where an endpoint wants it. */
export function areasOf(type: string): readonly Area[] {
  if (type.startsWith('instance.')) return ['numbers', 'overview', 'webhooks', 'deliveries'];
  return ['messages', 'chats', 'overview', 'webhooks', 'deliveries'];
}
