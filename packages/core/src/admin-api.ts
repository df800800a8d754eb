import type { Member, Plan, Retention, Workspace } from './domain/workspace/workspace.ts';
import type { HistoryQuery } from './inputs/instances.ts';
import type { InstanceHistoryResource } from './resources/instance-history.ts';
import type { PageResult } from './workspace-api.ts';
import type { ApiKeyInfo, NewApiKey } from './services/admin/api-keys.ts';
import type { FirstApiKey } from './services/admin/first-api-key.ts';
import type { NewMember } from './services/admin/members.ts';
import type { SubscriptionInfo } from './services/admin/subscriptions.ts';
import type { ServiceProcess } from './services/admin/processes.ts';
import type { StorageDescription } from './ports/storage/storage.ts';
import type { InstanceQueue, Workload } from './ports/storage/workload-store.ts';
import type { NewWorkspace } from './services/admin/workspaces.ts';
import type { ErasedPerson, EraseOptions } from './services/people/erase-person.ts';
import type { ExportedItem, ExportOptions } from './services/people/export-person.ts';
import type { PersonInput } from './services/people/find-person.ts';

/**
 * The administration of the service, for the embedder only, in process. Refusals are thrown as `TrunklineError`; times
 * are epoch milliseconds.
 */
export interface Admin {
  /** Workspaces: the tenants of the service, each with its own keys, instances, messages and webhooks. */
  readonly workspaces: {
    /** Creates a workspace. Throws VALIDATION_FAILED. */
    create(input: NewWorkspace): Promise<Workspace>;
    /** Null if the workspace does not exist. */
    find(id: string): Promise<Workspace | null>;
    /** The workspaces after this id, oldest first, at most 100 in each call. */
    list(after?: string): Promise<readonly Workspace[]>;
    /** Changes the name. Throws NOT_FOUND, VALIDATION_FAILED. */
    rename(id: string, name: string): Promise<Workspace>;
    /** Changes the given fields of the plan; the others keep their values. Throws NOT_FOUND, VALIDATION_FAILED. */
    setPlan(id: string, plan: Partial<Plan>): Promise<Workspace>;
    /**
     * Sets how many days the messages of the workspace are kept, or `forever`; null for the service's option
     * `retention`. Older messages are deleted within a few hours.
     */
    setRetention(id: string, retention: Retention | null): Promise<Workspace>;
    /** Until `resume`, refuses requests with the workspace's keys, and postpones its messages and webhooks. */
    suspend(id: string): Promise<Workspace>;
    /** Ends a suspension: postponed messages and webhooks are sent. Throws NOT_FOUND. */
    resume(id: string): Promise<Workspace>;
  };
  /** The people of a workspace. An API key may belong to a member. */
  readonly members: {
    /** Adds a member to a workspace. Throws NOT_FOUND, VALIDATION_FAILED. */
    create(input: NewMember): Promise<Member>;
    /** The members of a workspace, oldest first. */
    list(workspaceId: string): Promise<readonly Member[]>;
    /** Changes the given fields of a member. Throws NOT_FOUND, VALIDATION_FAILED. */
    update(
      workspaceId: string,
      id: string,
      changes: Partial<Pick<Member, 'email' | 'emailVerified' | 'administersWebhooks'>>,
    ): Promise<Member>;
    /** Deletes a member, and revokes their keys. */
    delete(workspaceId: string, id: string): Promise<void>;
  };
  /** The API keys of a workspace. Their values are not stored, only hashes and prefixes. */
  readonly apiKeys: {
    /** Only this call returns the `token`. */
    create(input: NewApiKey): Promise<{
      /** The value of the key, for `Authorization: Bearer …`. */
      readonly token: string;
      /** The key as it is stored and listed. */
      readonly apiKey: ApiKeyInfo;
    }>;
    /**
     * Creates a key with every scope for the oldest workspace, which is created if there is none. If that workspace has
     * a valid key, as after a restart, creates nothing. For first steps and development: print the `token` if it is not
     * null.
     */
    createFirst(): Promise<FirstApiKey>;
    /** Newest first. */
    list(workspaceId: string): Promise<readonly ApiKeyInfo[]>;
    /** Takes effect immediately in this process, and within 5 seconds in other processes. */
    revoke(workspaceId: string, id: string): Promise<ApiKeyInfo>;
  };
  /**
   * Tokens that you give out without storing them, such as sealed cookies and links, and that were used up or revoked
   * before they expired. All processes on the storage share this list. The dashboard's sign-in uses it.
   */
  readonly spentTokens: {
    /**
     * Marks a token as spent by its id (at most 100 characters); false if it was already spent. The token stays spent
     * at least until `until` (epoch milliseconds), and must expire by then. Takes effect immediately in this process,
     * and within 5 seconds in other processes.
     */
    spend(id: string, until: number): Promise<boolean>;
    /** Whether a token is spent. A lookup is reused for up to 5 seconds, unless `fresh` is true. */
    isSpent(
      id: string,
      options?: {
        /** Whether to look the token up again. Default false. */
        readonly fresh?: boolean;
      },
    ): Promise<boolean>;
  };
  /**
   * Erases a person from a workspace: all messages of the chats with them, their own messages in groups, the files and
   * events of all these messages, with deliveries and attempts, and the contacts that stand for the person. Queued
   * messages to the person are not sent. docs/privacy.md says what stays. May take minutes, because all messages of the
   * workspace are read. Repeat the call to continue an interrupted one.
   */
  erasePerson(person: PersonInput, options?: EraseOptions): Promise<ErasedPerson>;
  /** Reads the contacts, messages, files and events that `erasePerson` would erase. */
  exportPerson(person: PersonInput, options?: ExportOptions): Promise<AsyncGenerator<ExportedItem>>;
  /** Facts about instances that REST does not offer, or offers only by workspace. */
  readonly instances: {
    /** The number of instances in each of these workspaces; empty workspaces are left out. */
    countIn(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
    /**
     * The history of an instance, newest first, even of a deleted instance while its history is kept. Empty for an
     * unknown id.
     */
    history(
      workspaceId: string,
      id: string,
      query?: HistoryQuery,
    ): Promise<PageResult<InstanceHistoryResource>>;
  };
  /** The subscriptions of handlers (`trunkline.on`), in whichever process they run. */
  readonly subscriptions: {
    /** Ordered by name. */
    list(): Promise<readonly SubscriptionInfo[]>;
    /**
     * Gives up to 100 exhausted events one more attempt each, those that failed longest ago first; repeat while
     * `remaining` (counted to 1,000) is above 0. An event that fails again during the loop is not counted in
     * `remaining`, so that the loop ends. A round of calls ends when nothing remains, or after an hour without a call.
     */
    retryFailedEvents(name: string): Promise<{
      /** How many events this call has queued again. */
      readonly requeued: number;
      /** How many are left for the next calls of this round. */
      readonly remaining: number;
    }>;
    /**
     * Deletes a subscription whose handler you have removed from the app, because it would otherwise collect events
     * forever. Its events are deleted soon after. A handler that still runs under this name gets no more calls until
     * its process registers it again.
     */
    delete(name: string): Promise<void>;
  };
  /**
   * Seals with the first `secretKey` all values that a previous key sealed, as the role `maintenance` does after its
   * start. Call it again to continue after an interruption. If `isComplete` is true, the previous keys can be removed
   * from the list; if not, the log names the values that could not be opened.
   */
  resealSecrets(options?: {
    /** Stops the resealing early, between two secrets. */
    readonly signal?: AbortSignal;
    /** Called with the number of secrets sealed so far. */
    readonly onProgress?: (sealed: number) => void;
  }): Promise<{
    /** How many values this call has sealed again. */
    readonly sealed: number;
    /** Whether no value needs a previous key any more. */
    readonly isComplete: boolean;
  }>;
  /**
   * The open work of the whole service and its age, with the message that has waited longest and its workspace. Each
   * count stops at 10,000. The result may be 5 seconds old; the same numbers are exported as metrics.
   */
  workload(): Promise<Workload>;
  /**
   * The non-empty send queues of a workspace, at most 100, ordered by their oldest message; or the queue of one
   * instance, even if it is empty. Each queue is counted up to 1,000. The list is empty for an unknown id.
   */
  queues(workspaceId: string, instanceId?: string): Promise<readonly InstanceQueue[]>;
  /**
   * The processes that do the work of the service, by name. Each reports every 30 seconds. A process that has stopped
   * is left out; a process that died is listed for another hour, with its last report. At most 500.
   */
  processes(): Promise<readonly ServiceProcess[]>;
  /** The product, version and size of the database. The result may be 5 seconds old. */
  storage(): Promise<StorageDescription>;
}
