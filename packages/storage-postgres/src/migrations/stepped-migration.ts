import type { Row } from '../row.ts';

/** Runs a statement, or several where it has no values, and returns its first row. */
export type Ask = (sql: string, ...values: readonly (string | number)[]) => Promise<Row>;

/** A migration of what may be large: it goes on in short transactions, and continues where it was interrupted. */
export interface SteppedMigration {
  /** What it does, for the log: "moving …". */
  readonly task: string;
  /** Does a part of the work, in a transaction that is open. Notes in the database itself how far it has come. */
  step(ask: Ask): Promise<StepResult>;
}

interface StepResult {
  readonly isComplete: boolean;
  /** Rows that this step went through. */
  readonly rows: number;
}
