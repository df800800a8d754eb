// The plan that server.ts is started with, and its reports.
import type { Target } from './request.ts';

/** How a message is accepted. */
type Service =
  | 'responses together'
  | 'responses each'
  | 'SQLite, commit each'
  | 'SQLite, trunkline'
  | 'PostgreSQL, insert each'
  | 'PostgreSQL, trunkline';

/** A process that accepts messages. */
export interface Served extends Target {
  /** The directory of its data: other processes of the same service use it, too. */
  readonly directory: string;
}

export interface ServerPlan {
  readonly service: Service;
  readonly instances: number;
  /** The process to join; otherwise the service is a new one. */
  readonly joins?: Served;
}

/** CPU time that the process has used so far, in microseconds. */
export interface Usage {
  readonly cpu: number;
}
