/**
 * A storage or a media store cannot do now what it may well do later: it is locked, out of reach, stalled or full. Whether
 * what was asked for has been done may be unknown, as where the response to a commit was lost. Storages and media
 * stores reject with it; the REST API responds with 503 and `Retry-After`.
 */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
  /** Distinguishes these errors from others, also across duplicate installs of this package. */
  readonly isUnavailable: true = true;
}

/** Recognises an `UnavailableError` of any copy of this package. */
export function isUnavailable(error: unknown): error is UnavailableError {
  return error instanceof Error && 'isUnavailable' in error && error.isUnavailable === true;
}

/**
 * The same methods, which reject with an `UnavailableError` where `why` knows a reason for what they rejected with, and
 * as they did if it returns null. For storages: each of their methods is asynchronous.
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
  return Object.fromEntries(explained) as Store; // each method with the arguments and the result that it had
}
