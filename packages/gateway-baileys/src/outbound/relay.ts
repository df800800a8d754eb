import type { Clock } from '@trunkline/core/spi/gateway';
import type { BinaryNode, WASocket, proto } from '@whiskeysockets/baileys';
import { sentPoll } from '../inbound/poll-secrets.ts';
import { withinSend } from '../session/current-send.ts';
import type { Send } from '../session/current-send.ts';
import type { SentMessages } from '../session/sent-messages.ts';
import { ownKeys } from '../session/signal-keys.ts';
import { ackInTime } from './acks.ts';
import type { Acks } from './acks.ts';
import { editAttribute } from './compose-action.ts';
import { kindNodes } from './kind-content.ts';
import { addHolders, holdersOf, withHolders } from './sender-keys.ts';

interface Relay {
  readonly socket: WASocket;
  readonly clock: Clock;
  readonly acks: Acks;
  /** The groups that messages are on their way to. */
  readonly groupsInFlight: Set<string>;
  readonly sent: SentMessages;
  readonly writing: () => void;
}

interface Relayed {
  readonly jid: string;
  readonly networkId: string;
  /** The devices of a group that cannot get its key; undefined if the message is for a person. */
  readonly unreachable?: readonly string[] | undefined;
  /** The address at which the message was refused before. */
  readonly refusedAt?: string;
  /** More children of the stanza. */
  readonly nodes?: readonly BinaryNode[] | undefined;
}

/**
 * Writes a message for which the sessions were started before. Calls `writing` before anything is written: until then,
 * a failure means that nothing was sent. Returns the error code of the network's response; null if the network has
 * accepted the message.
 */
export async function relay(
  outbox: Relay,
  relayed: Relayed,
  content: proto.IMessage,
): Promise<string | null> {
  const { socket, groupsInFlight } = outbox;
  const { keys } = socket.authState;
  const { jid, unreachable } = relayed;
  if (!unreachable) return write(outbox, relayed, { content, holders: null });
  return withHolders(keys, jid, async () => {
    groupsInFlight.add(jid);
    try {
      const before = await holdersOf(keys, jid);
      // Baileys would fail if it could send the key to none of those who lack it.
      const holders = { ...before, ...Object.fromEntries(unreachable.map((device) => [device, true])) };
      return await write(outbox, relayed, { content, holders });
    } finally {
      groupsInFlight.delete(jid);
    }
  });
}

async function write(
  { socket, clock, acks, sent, writing }: Relay,
  { jid, networkId, refusedAt, nodes = [] }: Relayed,
  { content, holders }: { readonly content: proto.IMessage; readonly holders: Send['holders'] },
): Promise<string | null> {
  const ack = acks.expect(networkId, refusedAt);
  const send: Send = {
    record: ownKeys({
      ...sent.record(networkId, { jid, content }),
      ...sentPoll(networkId, content, clock.now()),
    }),
    holders,
    encryptedFor: new Set(),
    isAhead: false,
    writing,
  };
  const edit = editAttribute(content);
  try {
    await withinSend(send, () =>
      socket.relayMessage(jid, content, {
        messageId: networkId,
        additionalNodes: [...nodes, ...kindNodes(content)],
        ...(edit !== null && { additionalAttributes: { edit } }),
      }),
    );
    const { error } = await ackInTime(clock, ack);
    if (error === null && holders) await addHolders(socket.authState.keys, jid, send.encryptedFor);
    return error;
  } finally {
    ack.forget();
  }
}
