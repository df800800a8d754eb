import { encodeWAMessage } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';

const BYTES = Symbol('bytes');

/** A substitute for a message: these bytes are encrypted as they are. */
export function bareBytes(bytes: Uint8Array): proto.IMessage {
  const message: proto.IMessage = {};
  return Object.assign(message, { [BYTES]: Buffer.from(bytes) });
}

export function plaintextOf(message: proto.IMessage): Uint8Array {
  const bytes: unknown = Reflect.get(message, BYTES);
  return bytes instanceof Uint8Array ? bytes : encodeWAMessage(message);
}
