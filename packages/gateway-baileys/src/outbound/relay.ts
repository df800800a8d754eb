import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import { areJidsSameUser, isLidUser, jidNormalizedUser } from '@whiskeysockets/baileys';
import type { WASocket, proto } from '@whiskeysockets/baileys';
import type { SentMessages } from '../session/sent-messages.ts';
import { ownKeys } from '../session/signal-keys.ts';
import type { Acks } from './acks.ts';

/** Longer than the network takes to respond to a message. */
const ACK_MS = 20_000;

interface Relay {
  readonly socket: WASocket;
  readonly clock: Clock;
  readonly acks: Acks;
  readonly sent: SentMessages;
}

/** Writes a message. Returns the error code of the network's response; null if the network has accepted the message. */
export async function relay(
  { socket, clock, acks, sent }: Relay,
  { jid, networkId }: { readonly jid: string; readonly networkId: string },
  content: proto.IMessage,
): Promise<string | null> {
  const acked = acks.expect(networkId);
  try {
    // Record the message in one transaction with the keys that encrypt it.
    await socket.authState.keys.transaction(async () => {
      await socket.authState.keys.set(ownKeys(sent.record(networkId, { jid, content })));
      await socket.relayMessage(jid, content, { messageId: networkId });
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

/**
 * Queries everything needed to encrypt for a person, so that afterwards the message only has to be written. Returns
 * whether the person has a device to encrypt for.
 */
export async function canEncryptFor(socket: WASocket, jid: string): Promise<boolean> {
  const { me } = socket.authState.creds;
  const own = isLidUser(jid) && me?.lid ? me.lid : me?.id;
  const devices = await socket.getUSyncDevices([jidNormalizedUser(own), jid], true, false);
  const theirs = devices.flatMap((device) => (areJidsSameUser(device.jid, jid) ? [device.jid] : []));
  if (theirs.length === 0) return false;
  await socket.assertSessions(theirs);
  const sessions = await Promise.all(theirs.map((device) => socket.signalRepository.validateSession(device)));
  return sessions.some(({ exists }) => exists);
}
