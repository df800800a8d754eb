import { IDEMPOTENCY_WINDOW_MS } from '../idempotency/idempotency.ts';
import type { ContentChange } from './content-change.ts';
import type { MessageAction } from './message-action.ts';

/** The idempotency key of an action, and the fingerprint of its request. */
export interface ActionKey {
  readonly key: string;
  readonly fingerprint: string;
}

/** An action that is to be stored and queued. */
export interface ActionAcceptance {
  readonly action: MessageAction;
  readonly idempotency: ActionKey | null;
  /** The action is refused if the queue of the instance already has this many entries. */
  readonly backlogLimit: number;
  /** How an edit changes a message that is certainly not on its way yet; null for other actions. */
  readonly inPlace: EditInPlace | null;
}

/** An edit before its message is sent, which shows on no phone. */
export interface EditInPlace {
  readonly change: ContentChange;
  /** The action, carried out. */
  readonly action: MessageAction;
}

/** An action that was accepted under an idempotency key. */
export interface RememberedAction {
  readonly action: MessageAction;
  readonly fingerprint: string;
}

export type ActionAcceptanceResult =
  | { readonly kind: 'accepted' }
  /** The message was changed before it is sent, and nothing was queued. */
  | { readonly kind: 'edited_in_place' }
  /** An earlier request used this key. */
  | { readonly kind: 'remembered'; readonly remembered: RememberedAction }
  | { readonly kind: 'instance_gone' | 'message_gone' | 'instance_not_connected' | 'backlog_full' };

/** The facts that an acceptance depends on, as the storing transaction reads them. */
interface ActionAcceptanceFacts {
  /** The action that is stored under the key, expired or not. */
  readonly remembered: RememberedAction | null;
  /** The instance with its queue; null if the workspace has no such instance. */
  readonly instance: {
    /** `acceptsMessages` of the instance. */
    readonly acceptsMessages: boolean;
    /** How many entries are queued. The count may stop at `backlogLimit`. */
    readonly queued: number;
  } | null;
  /** Whether the instance has the message that the action is about. */
  readonly hasMessage: boolean;
  /**
   * Whether no process can have read the message to send it: it is scheduled, one of the `QUEUE_WINDOW` entries before it
   * in its queue has the same recipient, or the pace of the instance holds it. False if the action is not an edit.
   */
  readonly isWaiting: boolean;
}

/** Decides on an acceptance. The checks are in the order that `ActionStore.accept` promises. */
export function decideActionAcceptance(
  { action, backlogLimit, inPlace }: ActionAcceptance,
  { remembered, instance, hasMessage, isWaiting }: ActionAcceptanceFacts,
): ActionAcceptanceResult {
  if (remembered && action.createdAt - remembered.action.createdAt < IDEMPOTENCY_WINDOW_MS)
    return { kind: 'remembered', remembered };
  if (instance === null) return { kind: 'instance_gone' };
  if (!hasMessage) return { kind: 'message_gone' };
  if (inPlace && isWaiting) return { kind: 'edited_in_place' };
  if (!instance.acceptsMessages) return { kind: 'instance_not_connected' };
  return { kind: instance.queued >= backlogLimit ? 'backlog_full' : 'accepted' };
}
