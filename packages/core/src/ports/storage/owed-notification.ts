import type { DownInstance } from '../notifier.ts';

interface Owed {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdAt: number;
}

/** An owed email about an endpoint. It is kept until it is accepted. */
export interface OwedNotification extends Owed {
  /** The endpoint's id, as the email calls it: stored in this form. */
  readonly webhookId: string;
  readonly kind: 'webhook_failing' | 'webhook_disabled';
  readonly url: string;
  readonly failingSince: number;
}

/** The same about an instance that is down, or connected again. */
export interface OwedInstanceNotification extends Owed {
  readonly kind: 'instance_down' | 'instance_up';
  readonly instance: DownInstance;
}

/** How notifications that are owed are claimed. */
export interface NotificationClaim {
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
}
