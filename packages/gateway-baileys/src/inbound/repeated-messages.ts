import type { WASocket } from '@whiskeysockets/baileys';
import type { MessageOrder } from '../socket/message-order.ts';
import type { Arrivals } from './arrivals.ts';

interface RepeatWatch {
  readonly socket: WASocket;
  readonly order: MessageOrder;
  readonly arrivals: Pick<Arrivals, 'readBefore' | 'onRepeat'>;
  readonly skipped: (kind: string) => void;
}

/**
 * Confirms messages that were read but arrive again because the network did not get our receipt. Their keys are used
 * up, so Baileys would refuse them, and the network would keep them and might hold back everything behind them.
 */
export function confirmRepeats({ socket, order, arrivals, skipped }: RepeatWatch): void {
  // Baileys confirms these itself, because it gets an empty message instead of an error.
  arrivals.onRepeat(() => skipped('repeat'));
  order.intercept((stanza) => {
    const key = arrivals.readBefore(stanza);
    if (!key) return false;
    skipped('repeat');
    const { fromMe, remoteJid, participant, id } = key;
    const confirmed =
      fromMe || !remoteJid || !id
        ? socket.sendMessageAck(stanza)
        : socket.sendReceipt(remoteJid, participant ?? undefined, [id], 'inactive');
    // If the connection has ended, the network sends the stanza again.
    confirmed.catch(() => undefined);
    return true;
  });
}
