import { S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';

/** Acknowledges a notification that arrives before a number is linked; Baileys itself acknowledges nothing then. */
export async function acknowledge(
  socket: Pick<WASocket, 'sendNode'>,
  { id = '', type = '' }: BinaryNode['attrs'],
): Promise<void> {
  const attrs = { id, type, class: 'notification', to: S_WHATSAPP_NET };
  // If the connection has ended, nothing is left to link.
  await socket.sendNode({ tag: 'ack', attrs }).catch(() => undefined);
}
