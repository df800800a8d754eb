export type BillingStatus = 'active' | 'trial' | 'past_due' | 'none';

/** The limits of a workspace. Null means unlimited. */
export interface Plan {
  readonly subscription: BillingStatus;
  readonly instanceLimit: number | null;
  /** How many messages a trial may send in all; only used while `subscription` is `trial`. */
  readonly trialMessageLimit: number | null;
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
  /** How many days messages are kept, with their files and events. */
  readonly messagesDays: number | 'forever';
}

/** A hundred years. */
export const MESSAGES_DAYS_MAX = 36_500;

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** How many messages were accepted while the plan was a trial. */
  readonly trialMessagesUsed: number;
  readonly suspendedAt: number | null;
  /** Null for the service's setting. */
  readonly retention: Retention | null;
  readonly createdAt: number;
}

export interface WorkspaceChanges {
  readonly name?: string;
  /** Fields that are left out keep their stored values, even if another call changes them concurrently. */
  readonly plan?: Partial<Plan>;
  readonly suspendedAt?: number | null;
  readonly retention?: Retention | null;
}

/** The workspace after these changes. */
export function changedWorkspace(stored: Workspace, changes: WorkspaceChanges): Workspace {
  return { ...stored, ...changes, plan: { ...stored.plan, ...changes.plan } };
}

/**
 * A person who belongs to a workspace. An API key that a member has made can do no more with webhooks than its member.
 */
export interface Member {
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly administersWebhooks: boolean;
  readonly createdAt: number;
}
