/**
 * Storages and media stores reject with this error if they cannot do something now that may work later: they are
 * locked, unreachable, stalled or full. It may be unknown whether the operation was carried out, for example if the
 * response to a commit was lost. The REST API responds with 503 and `Retry-After`.
 */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
  /** Distinguishes these errors from other errors, also across duplicate installs of this package. */
  readonly isUnavailable: true = true;
}

/** Whether this is an `UnavailableError`, from any copy of this package. */
export function isUnavailable(error: unknown): error is UnavailableError {
  return error instanceof Error && 'isUnavailable' in error && error.isUnavailable === true;
}

/**
 * Returns the same methods, with their errors explained. If `why` returns a reason for an error, the method rejects
 * with an `UnavailableError`; if it returns null, with the error itself. For storages, whose methods are all
 * asynchronous.
 */
export function explainUnavailable<Store extends object>(
  store: Store,
  why: (error: unknown) => string | null,
): Store {
  const explained = Object.entries(store).map(
    ([name, method]: [string, (...given: unknown[]) => unknown]) => [
      name,
      async (...given: unknown[]) => {
        try {
          return await method.apply(store, given);
        } catch (cause) {
          const reason = isUnavailable(cause) ? null : why(cause);
          throw reason === null ? cause : new UnavailableError(reason, { cause });
        }
      },
    ],
  );
  return Object.fromEntries(explained) as Store; // each method keeps its arguments and its result
}
