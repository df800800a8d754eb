import type { Area } from '../api/keys.ts';

/**
 * The areas that an event invalidates: always `webhooks` and `deliveries` too, because a webhook may subscribe to the
 * event.
 */
export function areasOf(type: string): readonly Area[] {
  if (type.startsWith('instance.')) return ['numbers', 'overview', 'webhooks', 'deliveries'];
  return ['messages', 'chats', 'overview', 'webhooks', 'deliveries'];
}
