import type { GroupLimits } from '../../domain/instance/group-change-limits.ts';

/** A change of a group that an instance is about to make. */
export interface NewGroupChange {
  /** `opr_…` */
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly now: number;
  /** How many people it lets into a group. */
  readonly newPeople: number;
  /** Null if the change has no idempotency key. */
  readonly key: GroupChangeKey | null;
}

/** An idempotency key, and the digest of everything that makes two requests the same. */
export interface GroupChangeKey {
  readonly key: string;
  readonly fingerprint: string;
}

/** A change that was begun under an idempotency key. */
export interface RememberedGroupChange {
  readonly fingerprint: string;
  readonly begunAt: number;
  /** JSON; null if the outcome is not known, or not yet. */
  readonly outcome: string | null;
}

export type GroupChangeDecision =
  /** The change is counted, and its key remembered. */
  | { readonly kind: 'begun' }
  /** The key was used in the last `GROUP_CHANGE_KEPT_MS`. Nothing is counted. */
  | { readonly kind: 'known'; readonly change: RememberedGroupChange }
  | { readonly kind: 'limited'; readonly limit: number; readonly freeAt: number };

/**
 * The changes of groups that instances have begun lately. A change is stored before the network is asked, so that
 * neither a restart nor a kill makes a change twice, or more changes than the limits allow.
 */
export interface GroupChangeStore {
  /**
   * Decides from the key, and from the changes of the instance since `GROUP_CHANGE_KEPT_MS` before `now`
   * (`limitGroupChange`), and stores the change if it may begin, in one transaction.
   */
  begin(change: NewGroupChange, limits: GroupLimits): Promise<GroupChangeDecision>;
  /** Stores the outcome (JSON). Null if nothing was changed: the change stays counted, and its key is forgotten. */
  finish(id: string, outcome: string | null): Promise<void>;
  /** The change with this key in the workspace that was begun after `since`; null if there is none. */
  findByKey(workspaceId: string, key: string, since: number): Promise<RememberedGroupChange | null>;
  /** Deletes changes begun before `before`, at most `limit`. Returns how many. */
  deleteExpired(before: number, limit: number): Promise<number>;
}
