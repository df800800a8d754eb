import type { Area } from '../api/keys.ts';

/** What an event makes out of date. Each event has deliveries, where an endpoint wants it. */
export function areasOf(type: string): readonly Area[] {
  if (type.startsWith('instance.')) return ['numbers', 'overview', 'webhooks', 'deliveries'];
  return ['messages', 'chats', 'overview', 'webhooks', 'deliveries'];
}
