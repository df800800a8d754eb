// The plan that server.ts is started with, and the messages that server.ts sends.
import type { Target } from './request.ts';

type Service =
  | 'responses together'
  | 'responses each'
  | 'SQLite, commit each'
  | 'SQLite, trunkline'
  | 'PostgreSQL, insert each'
  | 'PostgreSQL, trunkline';

export interface Served extends Target {
  /** Shared with other processes of the same service. */
  readonly directory: string;
}

export interface ServerPlan {
  readonly service: Service;
  readonly instances: number;
  /** The process whose service to join; if omitted, starts a new service. */
  readonly joins?: Served;
}

/** CPU time that the process has used so far, in microseconds. */
export interface Usage {
  readonly cpu: number;
}
