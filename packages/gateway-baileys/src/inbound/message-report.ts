import type { Activity, GatewayListener } from '@trunkline/core/spi/gateway';
import { isJidBroadcast } from '@whiskeysockets/baileys';
import type { WAMessage, WASocket } from '@whiskeysockets/baileys';
import { activityOf } from './activity.ts';
import type { FindAdmins } from './group-admins.ts';
import { echoOf, incomingMessage } from './incoming-message.ts';
import type { MediaNetwork } from './media-network.ts';
import type { MessageContent } from './message-content.ts';

/** The report of a message that the network delivered. */
export interface MessageReport {
  /** Whether the report has a file, which may take minutes: other reports must not wait for it. */
  readonly hasFile: boolean;
  /** Rejects if the report is refused, and may then be called again. */
  deliver(): Promise<void>;
}

interface ReportParts {
  readonly socket: WASocket;
  readonly media: MediaNetwork;
  readonly listener: Pick<GatewayListener, 'message'>;
  readonly takeActivity: (activity: Activity) => Promise<void>;
  readonly findAdmins: FindAdmins;
  readonly skipped: (kind: string) => void;
}

/** Returns null for a message that is only counted. */
export async function reportOf(
  parts: ReportParts,
  message: WAMessage,
  read: MessageContent,
): Promise<MessageReport | null> {
  const { socket, listener, takeActivity, findAdmins, skipped } = parts;
  const { fromMe, remoteJid } = message.key;
  // A message from the owner to a broadcast list has no single recipient.
  if (read.kind === 'other' || (fromMe && isJidBroadcast(remoteJid ?? undefined))) {
    skipped(read.kind === 'other' && !fromMe ? read.name : 'own');
    return null;
  }
  if (read.kind === 'content') {
    const hasFile = read.content.type !== 'text';
    if (fromMe) {
      const echo = await echoOf(parts, message, read);
      return { hasFile, deliver: () => takeActivity(echo) };
    }
    const incoming = await incomingMessage(parts, message, read);
    return { hasFile, deliver: () => listener.message(incoming) };
  }
  const activity = await activityOf({ people: socket, findAdmins }, message, read);
  // A better copy may have to wait until the first copy is downloaded.
  const hasFile = read.kind === 'media_update';
  if (activity) return { hasFile, deliver: () => takeActivity(activity) };
  skipped(`refused_${read.kind}`);
  return null;
}
