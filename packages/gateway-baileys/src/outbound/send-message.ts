import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock, OutgoingMessage, SendOutcome } from '@trunkline/core/spi/gateway';
import type { proto, WASocket } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import type { SentMessages } from '../session/sent-messages.ts';
import { ownKeys } from '../session/signal-keys.ts';
import { briefly, queryErrorOf, statusCodeOf } from '../socket/status-code.ts';
import type { Acks } from './acks.ts';
import { compose } from './compose.ts';
import { findRecipient } from './recipients.ts';
import type { RecipientCache } from './recipients.ts';
import { refusalOf, refused } from './refusals.ts';

/** Longer than the network ever takes to answer a message. */
const ACK_MS = 20_000;

export interface Outbox {
  readonly socket: WASocket;
  readonly logger: ILogger;
  readonly clock: Clock;
  readonly acks: Acks;
  readonly sent: SentMessages;
  readonly recipients: RecipientCache;
}

/** Sends one message and answers what the network said to it: that it was written is not that it was taken. */
export async function sendMessage(outbox: Outbox, message: OutgoingMessage): Promise<SendOutcome> {
  if (message.content.type === 'audio' && message.content.caption) {
    return refused('caption_not_supported', 'WhatsApp shows no caption with an audio message.');
  }
  try {
    const jid = message.isGroup
      ? message.to
      : await findRecipient(outbox.socket, outbox.recipients, message.to);
    if (jid === null) return refused('recipient_not_on_whatsapp', 'The recipient is not on WhatsApp.');
    return await relay(outbox, { jid, networkId: message.networkId }, await compose(outbox, jid, message));
  } catch (error) {
    if (message.isGroup && isNoMember(error)) {
      return refused('group_unknown', 'This number is not in the group any more.');
    }
    return { kind: 'unknown', reason: briefly(error) };
  }
}

async function relay(
  { socket, clock, acks, sent }: Outbox,
  { jid, networkId }: { readonly jid: string; readonly networkId: string },
  content: proto.IMessage,
): Promise<SendOutcome> {
  const acked = acks.expect(networkId);
  try {
    // One transaction with the keys that the message is encrypted with.
    await socket.authState.keys.transaction(async () => {
      await socket.authState.keys.set(ownKeys(sent.record(networkId, content)));
      await socket.relayMessage(jid, content, { messageId: networkId });
    }, socket.user?.id ?? '');
    const { error } = await withDeadline(
      clock,
      { what: "WhatsApp's acknowledgement of a message", ms: ACK_MS },
      acked,
    );
    return error === null ? { kind: 'accepted' } : refusalOf(error);
  } finally {
    acks.forget(networkId);
  }
}

/** What the network answers to a question about a group that we are not in. */
function isNoMember(error: unknown): boolean {
  const code = queryErrorOf(error) ?? statusCodeOf(error);
  return code === 403 || code === 404;
}
