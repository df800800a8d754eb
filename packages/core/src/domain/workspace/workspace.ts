export type BillingStatus = 'active' | 'trial' | 'past_due' | 'none';

/** What a workspace may do. A null limit is no limit. */
export interface Plan {
  readonly subscription: BillingStatus;
  readonly instanceLimit: number | null;
  /** Messages that a trial may send in all; read only while `subscription` is `trial`. */
  readonly trialMessageLimit: number | null;
  readonly webhookLimit: number;
}

export const DEFAULT_PLAN: Plan = {
  subscription: 'active',
  instanceLimit: null,
  trialMessageLimit: null,
  webhookLimit: 5,
};

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** Counted while the plan is a trial. */
  readonly trialMessagesUsed: number;
  readonly suspendedAt: number | null;
  readonly createdAt: number;
}

export interface WorkspaceChanges {
  readonly name?: string;
  /** What is left out stays, whoever changes it at the same time. */
  readonly plan?: Partial<Plan>;
  readonly suspendedAt?: number | null;
}

/** The workspace as it is after these changes. */
export function changedWorkspace(stored: Workspace, changes: WorkspaceChanges): Workspace {
  return { ...stored, ...changes, plan: { ...stored.plan, ...changes.plan } };
}

/** A person of a workspace. An API key made by a member can do no more about webhooks than its member. */
export interface Member {
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly administersWebhooks: boolean;
  readonly createdAt: number;
}
