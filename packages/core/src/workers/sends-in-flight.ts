import { entryRecipientOf } from '../domain/message/message-action.ts';
import type { QueuedMessage } from '../ports/storage/message-store.ts';

/** The maximum number of messages with files that an instance sends at the same time, as they share its connection. */
const FILES_AT_ONCE = 2;

/** The messages and actions that are being sent, at most one to each recipient of an instance. */
export interface SendsInFlight {
  begin(entry: QueuedMessage): void;
  end(entry: QueuedMessage): void;
  /** The keys of the recipients (`entryRecipientOf`) that an instance is sending to. */
  recipients(instanceId: string): ReadonlySet<string>;
  /** Whether one more message can be sent on an instance that sends at most `atOnce` at the same time. */
  hasRoom(instanceId: string, atOnce: number): boolean;
  /** The same for a message with a file. Leaves room for messages without files, unless only one is sent at a time. */
  hasRoomForFile(instanceId: string, atOnce: number): boolean;
  instanceIds(): readonly string[];
  count(): number;
}

export function createSendsInFlight(): SendsInFlight {
  const sends = new Map<string, Map<string, QueuedMessage>>();
  const of = (instanceId: string): ReadonlyMap<string, QueuedMessage> => sends.get(instanceId) ?? NONE;
  return {
    begin(entry) {
      const { instanceId } = entry.message;
      const own = sends.get(instanceId) ?? new Map<string, QueuedMessage>();
      sends.set(instanceId, own.set(entryRecipientOf(entry), entry));
    },
    end(entry) {
      const { instanceId } = entry.message;
      const own = sends.get(instanceId);
      own?.delete(entryRecipientOf(entry));
      if (own?.size === 0) sends.delete(instanceId);
    },
    recipients: (instanceId) => new Set(of(instanceId).keys()),
    hasRoom: (instanceId, atOnce) => of(instanceId).size < atOnce,
    hasRoomForFile(instanceId, atOnce) {
      const files = Array.from(of(instanceId).values()).filter(hasFile);
      return files.length < Math.max(1, Math.min(FILES_AT_ONCE, atOnce - 1));
    },
    instanceIds: () => [...sends.keys()],
    count: () => [...sends.values()].reduce((count, own) => count + own.size, 0),
  };
}

/** Whether a file is sent: an action on a message sends nothing of it. */
export function hasFile({ message, action }: QueuedMessage): boolean {
  return action === undefined && message.media !== null;
}

const NONE: ReadonlyMap<string, QueuedMessage> = new Map();
