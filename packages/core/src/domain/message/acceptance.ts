import { isExpired } from '../idempotency/idempotency.ts';
import type { IdempotencyRecord } from '../idempotency/idempotency.ts';
import type { Message } from './message.ts';

/** An outbound message that is to be stored and queued. */
export interface Acceptance {
  readonly message: Message;
  readonly idempotency: IdempotencyRecord | null;
  /**
   * Whether the message is kept outside of the queue until its `sendAt`. The backlog does not count. Default false.
   */
  readonly isScheduled?: boolean;
  /** The message is refused if this many messages of the instance are already queued. */
  readonly backlogLimit: number;
  /** The limit of the workspace's trial, which the message counts against; null if the message does not count. */
  readonly trialLimit: number | null;
  /** The revision of the `Sender` that the message was checked against; if omitted, nothing is compared. */
  readonly revision?: string | undefined;
  /**
   * Whether the network id leads back to the message's id. If so, callers of `findOutbound` give ranges of ids, and the
   * network id needs no index. Default false.
   */
  readonly hasReadableNetworkId?: boolean;
}

export type AcceptanceResult =
  | { readonly kind: 'accepted' }
  /** An earlier request used this key, and stored `record`. */
  | { readonly kind: 'remembered'; readonly record: IdempotencyRecord }
  /** The sender has changed since the message was checked against it: read the sender again. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'instance_gone' | 'instance_not_connected' | 'backlog_full' | 'trial_used_up' };

/** The facts that an acceptance depends on, as the storing transaction reads them. */
export interface AcceptanceFacts {
  /**
   * `Sender.revision` now, or undefined if the sender no longer exists. Ignored for an acceptance without a revision.
   */
  readonly revision: string | undefined;
  /** The record stored under the key, expired or not. */
  readonly record: IdempotencyRecord | null;
  /** The instance with its queue; null if the workspace has no such instance. */
  readonly instance: {
    /** `acceptsMessages` of the instance. */
    readonly acceptsMessages: boolean;
    /** How many messages are queued. The count may stop at `backlogLimit`. */
    readonly queued: number;
  } | null;
  /** How many messages of its trial the workspace has used. Ignored without a `trialLimit`. */
  readonly trialMessagesUsed: number;
}

/** Decides on an acceptance. The checks are in the order that `MessageStore.accept` promises. */
export function decideAcceptance(
  { idempotency, isScheduled = false, backlogLimit, trialLimit, revision }: Acceptance,
  now: AcceptanceFacts,
): AcceptanceResult {
  if (revision !== undefined && revision !== now.revision) return { kind: 'stale' };
  if (idempotency && now.record && !isExpired(now.record, idempotency.createdAt)) {
    return { kind: 'remembered', record: now.record };
  }
  if (now.instance === null) return { kind: 'instance_gone' };
  if (!now.instance.acceptsMessages) return { kind: 'instance_not_connected' };
  if (trialLimit !== null && now.trialMessagesUsed >= trialLimit) return { kind: 'trial_used_up' };
  if (!isScheduled && now.instance.queued >= backlogLimit) return { kind: 'backlog_full' };
  return { kind: 'accepted' };
}
