import { isJidGroup, normalizeMessageContent } from '@whiskeysockets/baileys';
import type { WAMessage, WASocket } from '@whiskeysockets/baileys';
import { decodeValue, encodeValue } from '../session/json-value.ts';
import type { SessionValues } from '../session/session-values.ts';
import { keyName } from '../session/key-name.ts';

const TYPE = 'chat-timer';
/** WhatsApp's apps offer at most 90 days, so a timer far beyond that is forged. */
const LONGEST_SECONDS: number = 366 * 24 * 3_600;

/**
 * The seconds after which messages disappear in chats with people, as last reported by their phones. Group timers come
 * with the network's data about the group.
 */
export interface ChatTimers {
  /** The timer in seconds; null if messages stay, or if no timer is known. `jids` are the JIDs of one person. */
  find(jids: readonly (string | null)[]): Promise<number | null>;
}

interface TimerWatch {
  readonly socket: Pick<WASocket, 'ev'>;
  readonly values: Pick<SessionValues, 'read' | 'save'>;
  /** Called when the timer of a group is set, which makes its cached data outdated. */
  readonly groupChanged: (jid: string) => void;
  readonly failed: (error: unknown) => void;
}

/** Learns the timers from messages in the chats, and stores them with the session. */
export function watchChatTimers({ socket, values, groupChanged, failed }: TimerWatch): ChatTimers {
  const read = async (jid: string): Promise<number | null> => {
    const name = keyName(TYPE, jid);
    const stored = (await values.read([name])).get(name);
    return stored ? decodeValue<number>(stored) : null;
  };
  const learn = async (jids: readonly (string | null | undefined)[], seconds: number): Promise<void> => {
    const timer = seconds > 0 && seconds <= LONGEST_SECONDS ? Math.floor(seconds) : null;
    for (const jid of jids) {
      // Every message repeats the chat's timer: write only changes.
      if (!jid || (await read(jid)) === timer) continue;
      await values.save(new Map([[keyName(TYPE, jid), timer === null ? null : encodeValue(timer)]]));
    }
  };

  socket.ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) {
      const { remoteJid, remoteJidAlt } = message.key;
      const seconds = expirationOf(message);
      if (!remoteJid || isJidGroup(remoteJid) || seconds === null) continue;
      learn([remoteJid, remoteJidAlt], seconds).catch(failed);
    }
  });
  socket.ev.on('chats.update', (chats) => {
    for (const { id, ephemeralExpiration } of chats) {
      if (!id || ephemeralExpiration === undefined) continue;
      if (isJidGroup(id)) groupChanged(id);
      else learn([id], ephemeralExpiration ?? 0).catch(failed);
    }
  });

  return {
    async find(jids) {
      for (const jid of jids) {
        const seconds = jid === null ? null : await read(jid);
        if (seconds !== null) return seconds;
      }
      return null;
    },
  };
}

/**
 * The chat's timer in seconds, as the sender's phone has it; 0 for none. Null if the message carries no timer, as with
 * a reaction.
 */
function expirationOf({ message }: WAMessage): number | null {
  const content = normalizeMessageContent(message);
  if (!content || content.protocolMessage || content.reactionMessage) return null;
  if (content.conversation) return 0;
  for (const part of Object.values(content)) {
    const info: unknown = Reflect.get(Object(part), 'contextInfo');
    if (info === undefined || info === null) continue;
    const seconds: unknown = Reflect.get(Object(info), 'expiration');
    return typeof seconds === 'number' ? seconds : 0;
  }
  return 0;
}
