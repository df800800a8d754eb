import type { Admin } from './admin-api.ts';
import type { ApiKey } from './domain/api-key/api-key.ts';
import type { Member, Workspace } from './domain/workspace/workspace.ts';
import type { EventHandler, EventSelection, HandlerOptions, HandlerRegistration } from './event-handler.ts';
import type { Logger } from './ports/logger.ts';
import type { LinkPages } from './link-pages.ts';
import type { Roles } from './workers/workers.ts';
import type { WorkspaceApi } from './workspace-api.ts';

/** The caller of a request: an API key that is valid now, its workspace, and the member who created the key. */
export interface Principal {
  /** The key as it is stored, without its value. */
  readonly apiKey: ApiKey;
  /** The workspace that the key gives access to. */
  readonly workspace: Workspace;
  /** The member who created the key; null for a key that belongs to the embedder. */
  readonly member: Member | null;
}

/**
 * The service. `Transaction` is the type of the transactions that callers can pass to its storage; `never` if they
 * cannot.
 */
export interface Trunkline<Transaction = never> extends AsyncDisposable {
  /** The roles of this process. */
  readonly roles: Roles;
  /**
   * The logger that the service was created with; by default, a logger that writes warnings and errors to the console.
   */
  readonly logger: Logger;
  /**
   * Opens the storage (which migrates it), registers handlers and starts the workers of this process's roles. Until the
   * promise resolves, and after `stop()`, every operation rejects with an Error that says so. Rejects if the service is
   * already started. The timers and connections of a started service keep the process running, so a program that has
   * done its work does not end before `stop()`.
   */
  start(): Promise<void>;
  /**
   * Ends the workers, waiting up to `stopTimeoutMs` for work in flight, releases leases and closes the storage.
   * Operations are refused once that wait is over. The next process repeats sends that have not ended by then; a
   * repeated message keeps its network id. The service can be started again. Concurrent calls of `start` and `stop` are
   * carried out in turn; a stop without a start does nothing.
   */
  stop(): Promise<void>;
  /** The same as `stop()`, at the end of a block: `await using trunkline = createTrunkline(…)`. */
  [Symbol.asyncDispose](): Promise<void>;

  /**
   * Handles events of all workspaces in this process, whatever its roles, as reliably as a webhook: each event is
   * stored with the change that caused it, and handled at least once. Best called before `start()`, which then resolves
   * only when the subscription is stored. Throws a TypeError if an argument is wrong, or if the name is already in use in
   * this process.
   *
   * @example trunkline.on('message.received', async ({ data }) => reply(data.message), { name: 'replies' });
   */
  on<const Selection extends EventSelection>(
    types: Selection,
    handler: EventHandler<Selection>,
    options: HandlerOptions,
  ): HandlerRegistration;

  /** The operations that REST does not offer, such as those on workspaces, members, plans and API keys. */
  readonly admin: Admin;
  /** The REST operations on one workspace, in process, without the limits of a key or member. */
  workspace(id: string): WorkspaceApi<Transaction>;

  /**
   * Reads an `Authorization` header. Throws UNAUTHENTICATED, INVALID_API_KEY. The caller has to check suspension and
   * scopes. A lookup is reused for up to 5 seconds; `fresh` makes a new one, for a request that took long to arrive.
   */
  authenticate(
    authorization: string | null,
    options?: {
      /** Whether to look the key up again. Default false. */
      readonly fresh?: boolean;
    },
  ): Promise<Principal>;
  /** The REST operations as the holder of a key. Operations that the key's member may not call are refused. */
  as(principal: Principal): WorkspaceApi;
  /** The pages on which people enter credentials. `createLinkPage` of `@trunkline/http` serves them. */
  readonly linkPages: LinkPages;
  /**
   * Ends all event streams, and refuses new streams until the next start. Call it before you close your HTTP server,
   * which waits for responses in progress, because a stream does not end on its own. `stop()` does the same.
   */
  endStreams(): Promise<void>;
  /** A new `req_…` id. */
  newRequestId(): string;
}
