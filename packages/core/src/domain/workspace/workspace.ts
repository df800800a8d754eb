export type BillingStatus = 'active' | 'trial' | 'past_due' | 'none';

/** The limits of a workspace. Null means unlimited. */
export interface Plan {
  /** With `none` and `past_due`, sends are refused; with `none`, new instances are refused, too. */
  readonly subscription: BillingStatus;
  /** How many instances the workspace may have. */
  readonly instanceLimit: number | null;
  /** How many messages a trial may send in all; only used while `subscription` is `trial`. */
  readonly trialMessageLimit: number | null;
  /** How many webhook endpoints the workspace may have. */
  readonly webhookLimit: number;
}

export const DEFAULT_PLAN: Plan = {
  subscription: 'active',
  instanceLimit: null,
  trialMessageLimit: null,
  webhookLimit: 5,
};

/** How long a workspace's data is kept. */
export interface Retention {
  /** How many days messages and their files are kept. Their events are kept for at most 30 days. */
  readonly messagesDays: number | 'forever';
}

/** A hundred years. */
export const MESSAGES_DAYS_MAX = 36_500;

/** A tenant of the service. */
export interface Workspace {
  /** `ten_…` */
  readonly id: string;
  /** The workspace's display name. */
  readonly name: string;
  /** The limits of the workspace. */
  readonly plan: Plan;
  /** How many messages were accepted while the plan was a trial with a limit. */
  readonly trialMessagesUsed: number;
  /** Epoch milliseconds; null if the workspace is not suspended. */
  readonly suspendedAt: number | null;
  /** Null to use the service's setting. */
  readonly retention: Retention | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface WorkspaceChanges {
  readonly name?: string;
  /** Fields that are left out keep their stored values, even if another call changes them concurrently. */
  readonly plan?: Partial<Plan>;
  readonly suspendedAt?: number | null;
  readonly retention?: Retention | null;
}

export function changedWorkspace(stored: Workspace, changes: WorkspaceChanges): Workspace {
  return { ...stored, ...changes, plan: { ...stored.plan, ...changes.plan } };
}

/**
 * A person who belongs to a workspace. An API key that a member created can do no more with webhooks than the member.
 */
export interface Member {
  /** `mem_…` */
  readonly id: string;
  /** `ten_…` */
  readonly workspaceId: string;
  /** The address that notifications go to, once it is verified. */
  readonly email: string;
  /** Whether the address is known to be the member's. If not, their keys cannot create or change webhooks. */
  readonly emailVerified: boolean;
  /** Whether the member gets the notifications about webhooks and instances. */
  readonly administersWebhooks: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}
