import type { Clock } from '@trunkline/core/spi/gateway';
import { isJidGroup } from '@whiskeysockets/baileys';
import type { WASocket } from '@whiskeysockets/baileys';
import type { ILogger } from '@whiskeysockets/baileys/lib/Utils/logger.js';
import QuickLRU from 'quick-lru';
import { isMe } from '../inbound/contact-report.ts';
import type { GroupDirectory } from '../inbound/group-directory.ts';
import type { Groups } from '../inbound/groups.ts';
import type { SentMessage } from '../session/sent-messages.ts';
import { devicesOfChat, devicesOfGroup, startMissingSessions } from './reach.ts';
import { copyFor } from './resends.ts';

/** A chat's devices are asked for at most this often, in case WhatsApp computes the hash differently. */
const AGAIN_AFTER_MS = 60_000;

interface AcceptedMessage extends SentMessage {
  readonly networkId: string;
  /** The devices that got the message. */
  readonly devices: readonly string[];
}

/**
 * Sends accepted messages also to devices that we did not know, which WhatsApp reports by another hash of the list of
 * devices. whatsmeow (`send.go`) drops the lists that it remembers then; these are queried again here, because nobody
 * asks again for a message of which a device got no copy.
 */
export interface MissedDevices {
  /** Does its work in the background. */
  reach(message: AcceptedMessage): void;
}

interface MissedDevicesParts {
  readonly socket: WASocket;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly directory: GroupDirectory;
  readonly findGroup: Groups['find'];
  readonly logger: ILogger;
}

export function missedDevices(parts: MissedDevicesParts): MissedDevices {
  const { clock, logger } = parts;
  const askedAt = new QuickLRU<string, number>({ maxSize: 1_000 });
  return {
    reach(message) {
      const { jid } = message;
      const now = clock.elapsed();
      if (now - (askedAt.get(jid) ?? -Infinity) < AGAIN_AFTER_MS) return;
      askedAt.set(jid, now);
      sendToMissed(parts, message).catch((error: unknown) =>
        logger.warn({ error }, 'a message could not be sent to a device that was linked just before'),
      );
    },
  };
}

async function sendToMissed(
  { socket, directory, findGroup }: MissedDevicesParts,
  { jid, networkId, devices, content }: AcceptedMessage,
): Promise<void> {
  const isGroup = isJidGroup(jid) === true;
  if (isGroup) directory.delete(jid);
  const now = isGroup
    ? await devicesOfGroup(socket, await findGroup(jid), { isFresh: true })
    : await devicesOfChat(socket, jid, { isFresh: true });
  const missed = now.filter((device) => !devices.includes(device));
  const unreachable = await startMissingSessions(socket, missed);
  for (const device of missed.filter((missing) => !unreachable.has(missing))) {
    const isOwn = isMe(socket, device);
    const address = isGroup
      ? { to: jid, participant: device }
      : { to: device, ...(isOwn && { recipient: jid }) };
    const copy = { address, networkId, device, isOwn, chat: jid };
    await socket.sendNode(await copyFor(socket, copy, { jid, content }));
  }
}
