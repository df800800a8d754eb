import { isTrunklineError } from '@trunkline/core';
import { CommandError, EXIT } from '../errors/command-error.ts';

/** Awaits an operation in this process. A refusal gets the exit code that it would have over REST. */
export async function refusable<Value>(operation: Promise<Value>): Promise<Value> {
  try {
    return await operation;
  } catch (error) {
    if (!isTrunklineError(error)) throw error;
    const exitCode = error.code === 'VALIDATION_FAILED' ? EXIT.usage : EXIT.refused;
    throw new CommandError(error.message, { exitCode, code: error.code });
  }
}
