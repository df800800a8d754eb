import type { JsonObject } from '@trunkline/http/spi';
import type { Session } from '../session.ts';

/** A route of the dashboard's own API, beside those of the REST API. */
export interface OwnRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `{basePath}/api`, as the router writes it. */
  readonly path: string;
  /**
   * Who may: `anybody` needs no session; `session` any that there is; `see-all` an admin, or a reader of all workspaces;
   * `admin` an admin alone.
   */
  readonly access: 'anybody' | 'session' | 'see-all' | 'admin';
  readonly handle: (request: OwnRequest) => Promise<Response>;
}

export interface OwnRequest {
  readonly request: Request;
  /** Null where anybody may, and nobody is signed in. */
  readonly session: Session | null;
  /** What the path has in the place of `:name`. */
  readonly parameter: (name: string) => string;
  /** The JSON of the request; an empty object where it has none. */
  readonly body: JsonObject;
}
