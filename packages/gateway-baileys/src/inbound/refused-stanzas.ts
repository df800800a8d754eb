import { isJidNewsletter, isJidStatusBroadcast } from '@whiskeysockets/baileys';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { interceptStanzas } from '../socket/intercepted-stanzas.ts';

/**
 * Hides from Baileys the stanzas that never become a message: statuses, posts in channels, and unencrypted texts that
 * name a person as sender. Baileys would acknowledge them with an error, so the network would keep them and might hold
 * back everything behind them. `skipped` gets the kind of each stanza.
 */
export function refuseStanzas(socket: WASocket, skipped: (kind: string) => void): void {
  const refuse = (kind: string | null, stanza: BinaryNode): boolean => {
    if (kind === null) return false;
    skipped(kind);
    // If the connection has ended, the network sends the stanza again.
    socket.sendMessageAck(stanza).catch(() => undefined);
    return true;
  };
  interceptStanzas(socket, 'message', (stanza) => refuse(refusedMessage(stanza), stanza));
  interceptStanzas(socket, 'notification', (stanza) => refuse(refusedNotification(stanza), stanza));
}

function refusedMessage({ attrs, content }: BinaryNode): string | null {
  const { from } = attrs;
  if (isJidStatusBroadcast(from ?? '')) return 'status';
  if (isJidNewsletter(from)) return 'channel_post';
  const children = Array.isArray(content) ? content : [];
  if (children.some(({ tag }) => tag === 'plaintext')) return 'plaintext';
  // A response of Meta AI to what the owner asked on the phone; Baileys cannot decrypt it.
  return children.some(({ attrs: { type } }) => type === 'msmsg') ? 'bot_response' : null;
}

/** Baileys extracts plain texts from channel notifications, even from a person's forged one. */
function refusedNotification({ attrs }: BinaryNode): string | null {
  return attrs['type'] === 'newsletter' && !isJidNewsletter(attrs['from']) ? 'plaintext' : null;
}
