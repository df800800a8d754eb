import type { NewId } from '@trunkline/core';
import type { Database } from './database.ts';
import type { Operation } from './writer.ts';

/** What the stores share, once the storage is open. */
export interface Connection {
  readonly database: Database;
  readonly newId: NewId;
  /** Runs a writing operation; see `Writer`. */
  write<Result>(operation: Operation<Result>): Promise<Result>;
}

/** Answers the connection, or throws while the storage is not open. */
export type Connected = () => Connection;
