import type { ApiError, CallResult, Failure, Success } from './call-result.ts';

/** A failed call as an exception: thrown by `unwrap` and by the iterators, which have no result to answer. */
export class ClientError extends Error {
  readonly code: ApiError['code'];
  readonly error: ApiError;
  /** Tells these errors apart from others, also across duplicate installs of this package. */
  readonly isClientError: true = true;

  constructor(error: ApiError) {
    super(`${error.code}: ${error.message}`, error.cause === undefined ? {} : { cause: error.cause });
    this.name = 'ClientError';
    this.code = error.code;
    this.error = error;
  }
}

/** Recognises a `ClientError` of any copy of this package. */
export function isClientError(error: unknown): error is ClientError {
  return error instanceof Error && 'isClientError' in error && error.isClientError === true;
}

/** The success of a call, for those who would rather catch: throws a ClientError when it failed. */
export function unwrap<Answer>(result: CallResult<Answer>): Success & Answer;
export function unwrap(result: Success | Failure): Success {
  if (!result.ok) throw new ClientError(result.error);
  return result;
}
