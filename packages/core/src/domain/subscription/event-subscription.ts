import type { SubscribableEventType } from '../event/event.ts';

/** Events that handlers of the embedder's own want, whichever process they run in. */
export interface EventSubscription {
  /** `sub_…`; a name that is registered again after it was deleted gets another one. */
  readonly id: string;
  /** What processes that share its work know it by. */
  readonly name: string;
  /** Without repeats. */
  readonly eventTypes: readonly SubscribableEventType[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The form of a subscription's name. */
export const SUBSCRIPTION_NAME: RegExp = /^[A-Za-z0-9._-]{1,64}$/;
