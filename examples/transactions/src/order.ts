import type { WorkspaceApi } from '@trunkline/core';
import type { PostgresTransaction } from '@trunkline/storage-postgres';

export type Api = WorkspaceApi<PostgresTransaction>;

export interface Order {
  readonly id: string;
  readonly item: string;
  readonly phone: string;
  /** The id of the instance that sends the message. */
  readonly instance: string;
}
