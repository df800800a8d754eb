import type { Member, Plan, Workspace } from './domain/workspace/workspace.ts';
import type { ApiKeyInfo, NewApiKey } from './services/admin/api-keys.ts';
import type { NewMember } from './services/admin/members.ts';
import type { SubscriptionInfo } from './services/admin/subscriptions.ts';
import type { NewWorkspace } from './services/admin/workspaces.ts';

/** For the embedder alone, in process. Refusals are thrown as `TrunklineError`; times are epoch milliseconds. */
export interface Admin {
  readonly workspaces: {
    create(input: NewWorkspace): Promise<Workspace>;
    /** Null when there is none. */
    find(id: string): Promise<Workspace | null>;
    /** Oldest first, at most 100 a call, after the id given. */
    list(after?: string): Promise<readonly Workspace[]>;
    rename(id: string, name: string): Promise<Workspace>;
    setPlan(id: string, plan: Partial<Plan>): Promise<Workspace>;
    /** Every request with a key of the workspace is refused from now on. */
    suspend(id: string): Promise<Workspace>;
    resume(id: string): Promise<Workspace>;
  };
  readonly members: {
    create(input: NewMember): Promise<Member>;
    list(workspaceId: string): Promise<readonly Member[]>;
    update(
      workspaceId: string,
      id: string,
      changes: Partial<Pick<Member, 'email' | 'emailVerified' | 'administersWebhooks'>>,
    ): Promise<Member>;
    /** The keys that the member made are revoked. */
    delete(workspaceId: string, id: string): Promise<void>;
  };
  readonly apiKeys: {
    /** `token` is returned here and never again. */
    create(input: NewApiKey): Promise<{ readonly token: string; readonly apiKey: ApiKeyInfo }>;
    /** Newest first. */
    list(workspaceId: string): Promise<readonly ApiKeyInfo[]>;
    /** Immediately in this process, within 5 seconds in others. */
    revoke(workspaceId: string, id: string): Promise<ApiKeyInfo>;
  };
  /** Of handlers in process (`trunkline.on`), in whichever process they run. */
  readonly subscriptions: {
    /** By name. */
    list(): Promise<readonly SubscriptionInfo[]>;
    /**
     * Gives up to 100 exhausted events one more attempt each, those that failed longest ago first; repeat while `remaining`
     * (counted to 1,000) is above 0. What fails again meanwhile is not counted in it, so that this ends; a run of calls is
     * over when nothing remains, or after an hour without a call.
     */
    retryFailedEvents(name: string): Promise<{ readonly requeued: number; readonly remaining: number }>;
    /**
     * For one whose handler is gone from the app's code, since it would collect events for ever. What it has is deleted
     * soon after. A handler that still runs under this name is called no more, until its process registers it again.
     */
    delete(name: string): Promise<void>;
  };
}
