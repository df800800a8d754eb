import { isTrunklineError } from '@trunkline/core';
import { CommandError, EXIT } from './command-error.ts';

/** Runs an operation in process, and gives its refusal the exit code that REST's has. */
export async function refusable<Value>(operation: Promise<Value>): Promise<Value> {
  try {
    return await operation;
  } catch (error) {
    if (!isTrunklineError(error)) throw error;
    throw new CommandError(error.message, { exitCode: EXIT.refused, code: error.code });
  }
}
