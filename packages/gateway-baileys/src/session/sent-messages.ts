import { proto } from '@whiskeysockets/baileys';
import type { Clock } from '@trunkline/core/spi/gateway';
import { networkIdOf } from '../inbound/network-id.ts';
import { decodeValue } from './json-value.ts';
import { dayOf } from './lid-pairs.ts';
import type { SessionValues } from './session-values.ts';
import { keyName } from './signal-keys.ts';

const TYPE = 'sent';
const SENT: string = keyName(TYPE, '');
/** How long a phone that could not read a message can request it again. */
const KEPT_DAYS = 7;

/** The messages sent in recent days, for phones that could not read them and request them again. */
export interface SentMessages {
  find(networkId: string): Promise<proto.IMessage | undefined>;
  /** The changes to write together with the keys that the message was encrypted with. */
  record(networkId: string, message: proto.IMessage): SentMessageChanges;
}

/** A set of Signal keys of our own type, named by the day and the message's id. */
type SentMessageChanges = Readonly<Record<typeof TYPE, Readonly<Record<string, Uint8Array>>>>;

export function sentMessages(values: SessionValues, clock: Pick<Clock, 'now'>): SentMessages {
  const idOn = (day: number, networkId: string): string => `${day}.${networkIdOf(networkId)}`;
  return {
    async find(networkId) {
      const today = dayOf(clock.now());
      const days = Array.from({ length: KEPT_DAYS + 1 }, (_, ago) => today - ago);
      const stored = await values.read(days.map((day) => keyName(TYPE, idOn(day, networkId))));
      const [bytes] = stored.values();
      return bytes && proto.Message.decode(decodeValue<Uint8Array>(bytes));
    },
    record: (networkId, message) => ({
      [TYPE]: { [idOn(dayOf(clock.now()), networkId)]: proto.Message.encode(message).finish() },
    }),
  };
}

/** The id of the sent message that is stored under this name; null for any other name. */
export function sentMessageIdIn(name: string): string | null {
  if (!name.startsWith(SENT)) return null;
  const id = name.slice(SENT.length);
  return id.slice(id.indexOf('.') + 1);
}

/** Whether this is the name of a sent message that is too old for phones to request. */
export function isSentLongAgo(name: string, today: number): boolean {
  return name.startsWith(SENT) && today - Number.parseInt(name.slice(SENT.length), 10) > KEPT_DAYS;
}
