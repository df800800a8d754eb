import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import type { BinaryNode, WASocket, proto } from '@whiskeysockets/baileys';
import { withPreparedSessions } from '../session/prepared-sessions.ts';
import type { SentMessages } from '../session/sent-messages.ts';
import { ownKeys } from '../session/signal-keys.ts';
import type { Acks } from './acks.ts';
import { keepingFrom } from './sender-keys.ts';

/** Longer than the network takes to respond to a message. */
const ACK_MS = 20_000;

interface Relay {
  readonly socket: WASocket;
  readonly clock: Clock;
  readonly acks: Acks;
  readonly sent: SentMessages;
}

interface Relayed {
  readonly jid: string;
  readonly networkId: string;
  /** The devices of a group that cannot get its key; undefined if the message is for a person. */
  readonly unreachable?: readonly string[] | undefined;
  /** More children of the stanza. */
  readonly nodes?: readonly BinaryNode[] | undefined;
}

/**
 * Writes a message for which the sessions were started before. Returns the error code of the network's response; null if
 * the network has accepted the message.
 */
export async function relay(
  { socket, clock, acks, sent }: Relay,
  { jid, networkId, unreachable, nodes = [] }: Relayed,
  content: proto.IMessage,
): Promise<string | null> {
  const acked = acks.expect(networkId);
  const { keys } = socket.authState;
  const write = (): Promise<unknown> =>
    withPreparedSessions(() =>
      socket.relayMessage(jid, content, { messageId: networkId, additionalNodes: [...nodes] }),
    );
  try {
    // Record the message in one transaction with the keys that encrypt it.
    await keys.transaction(async () => {
      await keys.set(ownKeys(sent.record(networkId, { jid, content })));
      await (unreachable ? keepingFrom(unreachable, { keys, group: jid }, write) : write());
    }, socket.user?.id ?? '');
    const { error } = await withDeadline(
      clock,
      { what: "WhatsApp's acknowledgement of a message", ms: ACK_MS },
      acked,
    );
    return error;
  } finally {
    acks.forget(networkId);
  }
}
