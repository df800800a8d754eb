import type { DownInstance } from '../notifier.ts';

interface Owed {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdAt: number;
}

/** An owed email about an endpoint, kept until the notifier accepts it. */
export interface OwedNotification extends Owed {
  /** The endpoint's id, under the name that is stored and that the email uses. */
  readonly webhookId: string;
  readonly kind: 'webhook_failing' | 'webhook_disabled';
  readonly url: string;
  readonly failingSince: number;
}

/** An owed email about an instance that is down, or connected again. */
export interface OwedInstanceNotification extends Owed {
  readonly kind: 'instance_down' | 'instance_up';
  readonly instance: DownInstance;
}

export interface NotificationClaim {
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
}
