import { proto } from '@whiskeysockets/baileys';
import type { Clock } from '@trunkline/core/spi/gateway';
import { sentPollName } from '../inbound/poll-secrets.ts';
import { networkIdOf } from '../inbound/network-id.ts';
import { decodeValue } from './json-value.ts';
import { dayOf } from './lid-pairs.ts';
import { SENT, TYPE } from './sent-message-name.ts';
import type { SessionValues } from './session-values.ts';
import { keyName } from './key-name.ts';

/** How long a phone that could not read a message can request it again. */
const KEPT_DAYS = 7;

export interface SentMessage {
  /** The address that the message was sent to: a group, or one of a person's two addresses. */
  readonly jid: string;
  readonly content: proto.IMessage;
}

/** The messages sent in recent days, for phones that could not read them and request them again. */
export interface SentMessages {
  find(networkId: string): Promise<SentMessage | undefined>;
  /** Erases a message, so that no phone gets it any more, and no vote in it is read. */
  forget(networkId: string): Promise<void>;
  /** The changes to write together with the keys that the message was encrypted with. */
  record(networkId: string, message: SentMessage): SentMessageChanges;
}

interface StoredMessage {
  readonly jid: string;
  /** An encoded `proto.Message`. */
  readonly message: Uint8Array;
}

/** A set of Signal keys of our own type, named by the day and the message's id. */
type SentMessageChanges = Readonly<Record<typeof TYPE, Readonly<Record<string, StoredMessage>>>>;

export function sentMessages(values: SessionValues, clock: Pick<Clock, 'now'>): SentMessages {
  const idOn = (day: number, networkId: string): string => `${day}.${networkIdOf(networkId)}`;
  const read = (networkId: string): Promise<ReadonlyMap<string, Uint8Array>> => {
    const today = dayOf(clock.now());
    const days = Array.from({ length: KEPT_DAYS + 1 }, (_, ago) => today - ago);
    return values.read(days.map((day) => keyName(TYPE, idOn(day, networkId))));
  };
  return {
    async find(networkId) {
      const [bytes] = (await read(networkId)).values();
      if (!bytes) return undefined;
      const { jid, message } = decodeValue<StoredMessage>(bytes);
      return { jid, content: proto.Message.decode(message) };
    },
    async forget(networkId) {
      const poll = await values.read([sentPollName(networkId)]);
      const names = [...(await read(networkId)).keys(), ...poll.keys()];
      if (names.length > 0) await values.save(new Map(names.map((name) => [name, null])));
    },
    record: (networkId, { jid, content }) => ({
      [TYPE]: {
        [idOn(dayOf(clock.now()), networkId)]: { jid, message: proto.Message.encode(content).finish() },
      },
    }),
  };
}

/** Whether this is the name of a sent message that is too old for phones to request. */
export function isSentLongAgo(name: string, today: number): boolean {
  return name.startsWith(SENT) && today - Number.parseInt(name.slice(SENT.length), 10) > KEPT_DAYS;
}
