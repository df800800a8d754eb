import { TrunklineError } from '@trunkline/core';
import { refuse } from '@trunkline/core/spi/http';

/**
 * The error of an app that is mounted wrongly, which becomes a 500. Callers see the message, because on a new
 * installation the caller is the person who mounted the app.
 */
export function bodyReadBefore(): TrunklineError {
  return new TrunklineError(
    refuse(
      'INTERNAL_ERROR',
      'Something in this server, such as express.json(), has read the body of the request before Trunkline. Mount Trunkline in front of it.',
    ).refusal,
  );
}

/**
 * Whether Fetch rejected because the body was read before (Fetch, "unusable"). The message of this TypeError differs
 * between runtimes.
 */
export function isUnusableBody(error: unknown): boolean {
  return (
    error instanceof TypeError && /unusable|disturbed|locked|already (been )?(read|used)/i.test(error.message)
  );
}
