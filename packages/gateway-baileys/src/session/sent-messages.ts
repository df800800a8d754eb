import { proto } from '@whiskeysockets/baileys';
import { decodeValue } from './json-value.ts';
import type { SessionValues } from './session-values.ts';
import { keyName } from './signal-keys.ts';

const TYPE = 'sent-message';
/** What a phone asks for again is recent: more than this many messages ago it gives up. */
const KEPT = 256;

/** The messages sent last, for phones that could not read them and ask again. Bounded, so that history costs nothing. */
export interface SentMessages {
  find(networkId: string): proto.IMessage | undefined;
  /** What to write together with the keys that the message was encrypted with; takes the place of the oldest. */
  record(networkId: string, message: proto.IMessage): SentMessageChanges;
}

/** A set of Signal keys, of a type of our own. */
type SentMessageChanges = Readonly<Record<typeof TYPE, Readonly<Record<string, SentMessage>>>>;

interface SentMessage {
  readonly order: number;
  readonly networkId: string;
  readonly message: Uint8Array;
}

export function sentMessages(values: SessionValues): SentMessages {
  const slots = new Map<string, string>();
  let next = 0;
  const read = (name: string): SentMessage | undefined => {
    const bytes = values.get(name);
    return bytes && decodeValue<SentMessage>(bytes);
  };
  for (const name of values.names(keyName(TYPE, ''))) {
    const sent = read(name);
    if (!sent) continue;
    slots.set(sent.networkId, name);
    next = Math.max(next, sent.order + 1);
  }

  return {
    find(networkId) {
      const slot = slots.get(networkId);
      const sent = slot === undefined ? undefined : read(slot);
      return sent?.networkId === networkId ? proto.Message.decode(sent.message) : undefined;
    },
    record(networkId, message) {
      const order = next++;
      const slot = String(order % KEPT);
      const name = keyName(TYPE, slot);
      for (const [id, taken] of slots) if (taken === name) slots.delete(id);
      slots.set(networkId, name);
      return { [TYPE]: { [slot]: { order, networkId, message: proto.Message.encode(message).finish() } } };
    },
  };
}
