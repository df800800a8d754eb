import type { Admin } from './admin-api.ts';
import type { ApiKey } from './domain/api-key/api-key.ts';
import type { Member, Workspace } from './domain/workspace/workspace.ts';
import type { EventHandler, EventSelection, HandlerOptions, HandlerRegistration } from './event-handler.ts';
import type { Logger } from './ports/logger.ts';
import type { Roles } from './workers/workers.ts';
import type { WorkspaceApi } from './workspace-api.ts';

/** Who is asking: an API key that is valid now, with its workspace and the member who made it. */
export interface Principal {
  readonly apiKey: ApiKey;
  readonly workspace: Workspace;
  readonly member: Member | null;
}

/** `Transaction` is what its storage takes as a transaction of the caller's own; `never` where it takes none. */
export interface Trunkline<Transaction = never> {
  readonly roles: Roles;
  /** What it was created with, or the console for warnings and errors. */
  readonly logger: Logger;
  /**
   * Opens the storage (which migrates it), registers handlers and starts the workers of this process's roles. Before it
   * resolves, and after `stop()`, every operation rejects with an Error that says so. Rejects when it is already started.
   */
  start(): Promise<void>;
  /**
   * Takes no more work, finishes what is in flight within `stopTimeoutMs`, releases leases and closes the storage. What
   * has not ended by then is left: the next process sends it again, messages under the same network id. It can be started
   * again. A start and a stop that come together are carried out in turn; without a start before it, a stop does nothing.
   */
  stop(): Promise<void>;

  /**
   * Handles events of all workspaces in this process, whatever its roles, with the promise of a webhook: each event is
   * stored with the change that caused it, and handled at least once. Best before `start()`, which then resolves when
   * the subscription is stored. Throws a TypeError on a wrong argument, and where the name is taken in this process.
   *
   * @example trunkline.on('message.received', async ({ data }) => reply(data.message), { name: 'replies' });
   */
  on<const Selection extends EventSelection>(
    types: Selection,
    handler: EventHandler<Selection>,
    options: HandlerOptions,
  ): HandlerRegistration;

  /** What a dashboard does and REST does not: workspaces, members, plans, suspension, API keys. */
  readonly admin: Admin;
  /** The REST operations on one workspace, in process, as its owner. */
  workspace(id: string): WorkspaceApi<Transaction>;

  /**
   * Reads an `Authorization` header. Throws UNAUTHENTICATED, INVALID_API_KEY. Suspension and scopes are the caller's next
   * questions. A look-up is reused for up to 5 seconds; `fresh` makes a new one, for a request that took long to arrive.
   */
  authenticate(authorization: string | null, options?: { readonly fresh?: boolean }): Promise<Principal>;
  /** The REST operations as the holder of a key: what its member may not do is refused. */
  as(principal: Principal): WorkspaceApi;
  /** A new `req_…` id. */
  newRequestId(): string;
}
