import type { JsonObject } from '@trunkline/http/spi';
import type { Session } from '../session.ts';

/** A route of the dashboard's own API, which is not in the REST API. */
export interface OwnRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below `{basePath}/api`, as the router writes it. */
  readonly path: string;
  /** The session that the route needs. `see-all`: one that sees all workspaces. `admin`: an admin's. */
  readonly access: 'anybody' | 'session' | 'see-all' | 'admin';
  readonly handle: (request: OwnRequest) => Promise<Response>;
}

interface OwnRequest {
  readonly request: Request;
  /** Null if the route needs no session. */
  readonly session: Session | null;
  readonly parameter: (name: string) => string;
  /** The JSON of the request; an empty object if it has none. */
  readonly body: JsonObject;
}
