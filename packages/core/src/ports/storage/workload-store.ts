import type { InstanceStatus } from '../../domain/instance/instance.ts';

/** Reads the open work of the whole service, not of one process, and its age, for metrics. */
export interface WorkloadStore {
  /**
   * Counts the open rows of each kind up to `limit`, and finds the oldest row of each kind. The cost depends on the
   * open rows and on `limit`, never on finished work.
   */
  read(at: { readonly now: number; readonly limit: number }): Promise<Workload>;
  /**
   * The queue of an instance, even if it is empty; or the non-empty queues of a workspace, ordered by their oldest
   * message. Each queue is counted up to `countUpTo`.
   */
  queues(
    of: { readonly workspaceId: string; readonly instanceId: string | null },
    at: { readonly now: number; readonly countUpTo: number; readonly limit: number },
  ): Promise<readonly InstanceQueue[]>;
}

/** The messages that wait to be sent by one instance, held messages included. */
export interface InstanceQueue {
  /** `ins_…` */
  readonly instanceId: string;
  /** How many messages wait. */
  readonly queued: number;
  /** The first message in order, or a held message that was accepted before it; null if nothing is queued. */
  readonly oldest: {
    /** `msg_…` */
    readonly messageId: string;
    /** When the message was accepted or, if it was scheduled, its `sendAt`; epoch milliseconds. */
    readonly since: number;
  } | null;
  /** The process that holds the instance; null if no process holds it at this moment. */
  readonly heldBy: string | null;
}

/** Counts stop at the requested limit. Times are epoch milliseconds; null if there are no such rows. */
export interface Workload {
  /** The number of instances in each status, by the name of their network. */
  readonly instances: Readonly<Record<string, Readonly<Record<InstanceStatus, number>>>>;
  /** Instances that need a process, but that no process holds. */
  readonly unheldInstances: number;
  /** Messages that have not been handed to the network, held messages included. */
  readonly queuedMessages: number;
  /** The message that was accepted first, among the queues of the first `limit` instances and the held messages. */
  readonly oldestQueuedMessage: QueuedSince | null;
  /** Deliveries that have not ended: they wait for an attempt, or their attempt is in flight. */
  readonly openDeliveries: number;
  /** When the oldest open delivery was created. Deliveries whose attempt is in flight may be left out. */
  readonly oldestOpenDeliveryAt: number | null;
  /** When a delivery could first have been claimed; later than `now` if no delivery can be claimed yet. */
  readonly deliveriesDueAt: number | null;
  /** Enabled endpoints whose attempts all fail, with a delivery given up since they began to fail. */
  readonly failingEndpoints: number;
  /** Events that a handler has not handled yet. */
  readonly queuedEvents: number;
  /** Events whose handler has failed too often. */
  readonly exhaustedEvents: number;
  /** When an event could first have been claimed for a handler; later than `now` if no event can be claimed yet. */
  readonly eventsDueAt: number | null;
  /** Files of messages that the network has not delivered yet. */
  readonly pendingDownloads: number;
  /** When the oldest event that is still stored was created. */
  readonly oldestEventAt: number | null;
}

/** The message that has waited longest. */
export interface QueuedSince {
  /** `ten_…` */
  readonly workspaceId: string;
  /** `ins_…` */
  readonly instanceId: string;
  /** `msg_…` */
  readonly messageId: string;
  /** When the message was accepted or, if it was scheduled, its `sendAt`; epoch milliseconds. */
  readonly since: number;
}
