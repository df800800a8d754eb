/**
 * A storage or a media store cannot do now what it may well do later: it is locked, out of reach, stalled or full. Whether
 * what was asked for has been done may be unknown, as where the answer to a commit was lost. Storages and media stores
 * reject with it; the REST API answers it with 503 and `Retry-After`.
 */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
  /** Tells these errors apart from others, also across duplicate installs of this package. */
  readonly isUnavailable: true = true;
}

/** Recognises an `UnavailableError` of any copy of this package. */
export function isUnavailable(error: unknown): error is UnavailableError {
  return error instanceof Error && 'isUnavailable' in error && error.isUnavailable === true;
}
