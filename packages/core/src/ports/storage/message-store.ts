import type { Event } from '../../domain/event/event.ts';
import type { IdRange } from '../../domain/id.ts';
import type { IdempotencyRecord } from '../../domain/idempotency/idempotency.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Acceptance, AcceptanceResult } from '../../domain/message/acceptance.ts';
import type {
  Message,
  MessageDirection,
  MessageError,
  MessageStatus,
  MessageType,
} from '../../domain/message/message.ts';
import type { Workspace } from '../../domain/workspace/workspace.ts';
import type { Page, PageRequest } from './page.ts';
import type { Lease } from './lease.ts';

/** A message's next state, written only while its status is still the one it was decided on. */
export interface MessageChange {
  readonly message: Message;
  readonly expectedStatus: MessageStatus;
  /** The events for receivers, in order. */
  readonly events: readonly Event[];
}

/** Why all that is queued on an instance fails. `failQueue` decides the outcome of each message, in the transaction. */
export interface QueueFailure {
  readonly error: MessageError;
  /** When it fails, epoch milliseconds. */
  readonly now: number;
  /** Epoch microseconds of the first message's event; that of each further one is one later. */
  readonly eventsFrom: number;
}

/** What a message is sent by: an instance of a workspace, as they were when they were read. */
export interface Sender {
  readonly workspace: Pick<Workspace, 'plan' | 'suspendedAt'>;
  /** For `Acceptance.revision`: the same until one of these facts changes. It means nothing else. */
  readonly revision: string;
  /** Null when the workspace has no such instance. */
  readonly instance: Pick<Instance, 'id' | 'workspaceId' | 'phoneNumber'> | null;
}

export interface MessageFilter {
  readonly instanceId?: string;
  readonly direction?: MessageDirection;
  readonly type?: MessageType;
  /** Any of these; absent is all. */
  readonly statuses?: readonly MessageStatus[];
}

/** The message at the head of an instance's queue. */
export interface QueuedMessage {
  readonly message: Message;
  /** Sends whose outcome stayed unknown. */
  readonly tries: number;
}

/** How old may be what a storage keeps of senders. `accept` does not go by it: see `Acceptance.revision`. */
export const SENDER_KEPT_MS = 5_000;

/** A message with media reads as `available: false` from the moment its instance is deleted, whatever is stored. */
export interface MessageStore<Transaction = never> {
  /**
   * What an outbound message is checked against before `accept`. Null when there is no such workspace. May be what was true
   * up to `SENDER_KEPT_MS` before `now`, unless `fresh`: a storage keeps it, and forgets it as soon as it hears of a change.
   * What is not there is never kept. Frozen, or the caller's own.
   */
  findSender(
    workspaceId: string,
    instanceId: string,
    how: { readonly now: number; readonly fresh: boolean },
  ): Promise<Sender | null>;
  /**
   * Stores an outbound message, its place in the instance's queue and its idempotency record in one transaction.
   * Checked in it, in this order (`decideAcceptance`): sender unchanged since `revision`, key not remembered (records older
   * than the idempotency window are forgotten), instance there, `acceptsMessages` of it, trial, backlog. Resolves once it is
   * durable.
   * Calls that come together may share one commit, in the order of the calls; each still succeeds or fails on its own:
   * one whose message id is taken rejects, and leaves nothing. A message is due from its acceptance.
   * One with available media takes the content that was reserved for it (`contentIdOf`), and rejects when there is
   * none, or when another message has it.
   *
   * Within a transaction of the caller's, all of this is part of that one: nobody else sees any of it before the caller
   * commits, and a rollback undoes it. One that is refused or rejects leaves nothing there, and the transaction usable.
   * What is not a transaction on this database rejects with a TypeError. The signal may be missing.
   */
  accept(acceptance: Acceptance, transaction?: Transaction): Promise<AcceptanceResult>;
  /** One past its window is found too, as long as it is stored: the caller decides. */
  findIdempotencyRecord(workspaceId: string, key: string): Promise<IdempotencyRecord | null>;

  /** With a transaction of the caller's: as it is seen in there. */
  find(workspaceId: string, id: string, transaction?: Transaction): Promise<Message | null>;
  /**
   * By the id that the network knows an outbound message by. A message that was accepted with a readable network id is
   * in one of these ranges, each of a few ids at most; any other one is found whatever they are.
   */
  findOutbound(instanceId: string, networkId: string, ids?: readonly IdRange[]): Promise<Message | null>;
  /** Whether an inbound message is stored: then `receive` would find it a repeat. */
  hasInbound(instanceId: string, networkId: string, senderId: string): Promise<boolean>;
  /** Newest first. Cost does not depend on how many rows lie before the page. */
  list(workspaceId: string, filter: MessageFilter, page: PageRequest): Promise<Page<Message>>;

  /** The message of each of these instances that was accepted first of those still queued, where it is due at `now`, or postponed too far ahead (`latestResend`). Later ones wait for it. None of a postponed workspace. */
  queueHeads(instanceIds: readonly string[], now: number): Promise<readonly QueuedMessage[]>;
  /** Keeps a message at its place in the queue, not to be sent before `dueAt`. Changes nothing when it is queued no more. */
  postpone(
    lease: Lease,
    postponement: { readonly messageId: string; readonly tries: number; readonly dueAt: number },
  ): Promise<'postponed' | 'fenced'>;
  /**
   * Changes a message under the instance's lease, which is checked first. A message that leaves `queued` leaves its
   * queue in the same transaction. `stale` too where the message is not there, or not this instance's.
   */
  change(lease: Lease, change: MessageChange): Promise<'changed' | 'stale' | 'fenced'>;
  /**
   * Inserts an inbound message once: a repeat is the same instance, network id and sender. Takes reserved content as
   * `accept` does.
   */
  receive(
    lease: Lease,
    arrival: { readonly message: Message; readonly senderId: string; readonly event: Event },
  ): Promise<'received' | 'duplicate' | 'fenced'>;
}
