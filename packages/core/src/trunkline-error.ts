import { ERROR_STATUS } from './domain/error-code.ts';
import type { ErrorCode } from './domain/error-code.ts';
import type { ErrorDetails, Refusal, Result } from './domain/result.ts';

/** A refused request. `code` is one of the API's error codes, and `status` is its HTTP status. */
export class TrunklineError extends Error {
  /** The code that REST would respond with. Branch on it; `message` is for people. */
  readonly code: ErrorCode;
  /** The HTTP status that REST would respond with. */
  readonly status: number;
  /** Extra facts, such as the fields that are wrong. */
  readonly details: ErrorDetails | undefined;
  /** Distinguishes these errors from other errors, also across duplicate installs of this package. */
  readonly isTrunklineError: true = true;

  constructor({ code, message, details }: Refusal) {
    super(message);
    this.name = 'TrunklineError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = details;
  }
}

/** Whether this is a `TrunklineError`, from any copy of this package. */
export function isTrunklineError(error: unknown): error is TrunklineError {
  return error instanceof Error && 'isTrunklineError' in error && error.isTrunklineError === true;
}

/** Returns the value, or throws the refusal. */
export function unwrap<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new TrunklineError(result.refusal);
}
