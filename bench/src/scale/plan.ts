export interface ScalePlan {
  /** The directory that names the schema; see postgres.ts. */
  readonly directory: string;
  readonly receiver: string;
  readonly workspaces: number;
  readonly instances: number;
  readonly endpoints: number;
}

export const SECRET_KEY = 'a secret key for measuring with, long enough';

/** The sandbox network sends no receipts for this recipient, so that each message causes only one event. */
export const RECIPIENT = '447700900001';
