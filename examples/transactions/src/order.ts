import type { WorkspaceApi } from '@trunkline/core';
import type { PostgresTransaction } from '@trunkline/storage-postgres';

export type Api = WorkspaceApi<PostgresTransaction>;

export interface Order {
  readonly id: string;
  readonly item: string;
  readonly phone: string;
  /** The number that the message is sent from. */
  readonly instance: string;
}
