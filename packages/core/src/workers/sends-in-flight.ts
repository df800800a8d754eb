import { recipientKeyOf } from '../domain/message/chat.ts';
import type { Message } from '../domain/message/message.ts';

/** The maximum number of messages with files that an instance sends at the same time, as they share its connection. */
const FILES_AT_ONCE = 2;

/** The messages that are being sent, at most one to each recipient of an instance. */
export interface SendsInFlight {
  begin(message: Message): void;
  end(message: Message): void;
  /** The keys of the recipients (`recipientKeyOf`) that an instance is sending to. */
  recipients(instanceId: string): ReadonlySet<string>;
  /** Whether one more message can be sent on an instance that sends at most `atOnce` at the same time. */
  hasRoom(instanceId: string, atOnce: number): boolean;
  /** The same for a message with a file. Leaves room for messages without files, unless only one is sent at a time. */
  hasRoomForFile(instanceId: string, atOnce: number): boolean;
  instanceIds(): readonly string[];
  count(): number;
}

export function createSendsInFlight(): SendsInFlight {
  const sends = new Map<string, Map<string, Message>>();
  const of = (instanceId: string): ReadonlyMap<string, Message> => sends.get(instanceId) ?? NONE;
  return {
    begin(message) {
      const { instanceId } = message;
      const own = sends.get(instanceId) ?? new Map<string, Message>();
      sends.set(instanceId, own.set(recipientKeyOf(message), message));
    },
    end(message) {
      const own = sends.get(message.instanceId);
      own?.delete(recipientKeyOf(message));
      if (own?.size === 0) sends.delete(message.instanceId);
    },
    recipients: (instanceId) => new Set(of(instanceId).keys()),
    hasRoom: (instanceId, atOnce) => of(instanceId).size < atOnce,
    hasRoomForFile(instanceId, atOnce) {
      const files = Array.from(of(instanceId).values()).filter(({ media }) => media !== null);
      return files.length < Math.max(1, Math.min(FILES_AT_ONCE, atOnce - 1));
    },
    instanceIds: () => [...sends.keys()],
    count: () => [...sends.values()].reduce((count, own) => count + own.size, 0),
  };
}

const NONE: ReadonlyMap<string, Message> = new Map();
