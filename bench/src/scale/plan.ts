/** The sizes of a cluster, the same for all of its processes. */
export interface ScalePlan {
  /** The directory that names its schema; see postgres.ts. */
  readonly directory: string;
  /** The receiver of webhooks. */
  readonly receiver: string;
  readonly workspaces: number;
  readonly instances: number;
  readonly endpoints: number;
}

export const SECRET_KEY = 'a secret key for measuring with, long enough';

/** The tail of a recipient for whom the sandbox network sends no receipts: one message is then one event. */
export const RECIPIENT = '447700900001';
