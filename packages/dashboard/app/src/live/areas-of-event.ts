import type { Area } from '../api/keys.ts';

/** The areas that an event invalidates. Each event has deliveries, if an endpoint subscribes to it. */
export function areasOf(type: string): readonly Area[] {
  if (type.startsWith('instance.')) return ['numbers', 'overview', 'webhooks', 'deliveries'];
  return ['messages', 'chats', 'overview', 'webhooks', 'deliveries'];
}
