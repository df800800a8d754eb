import type { DatabaseSync } from 'node:sqlite';

/** A migration of what may be large: it goes on in short transactions, between which other processes write. */
export interface SteppedMigration {
  /** What it does, for the log: "copying …". */
  readonly task: string;
  /** Does a part of the work, in a transaction that is open. Notes in the database itself how far it has come. */
  step(connection: DatabaseSync): StepResult;
}

interface StepResult {
  readonly isComplete: boolean;
  /** Rows that this step went through. */
  readonly rows: number;
}
