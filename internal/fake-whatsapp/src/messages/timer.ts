import { normalizeMessageContent } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';

/** Seconds until a message disappears, as the message itself says; null if it stays. */
export function timerOf(message: proto.IMessage | undefined): number | null {
  const content = normalizeMessageContent(message?.deviceSentMessage?.message ?? message);
  for (const part of Object.values(content ?? {})) {
    const info: unknown = Reflect.get(Object(part), 'contextInfo');
    const seconds: unknown = Reflect.get(Object(info), 'expiration');
    if (typeof seconds === 'number' && seconds > 0) return seconds;
  }
  return null;
}
