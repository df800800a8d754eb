import type { Area } from '../api/keys.ts';

/**
 * The areas that an event invalidates. `webhooks` and `deliveries` are always among them, because any event may have
 * deliveries.
 */
export function areasOf(type: string): readonly Area[] {
  if (type.startsWith('instance.')) return ['numbers', 'overview', 'webhooks', 'deliveries'];
  return ['messages', 'chats', 'overview', 'webhooks', 'deliveries'];
}
