import type { ToldError } from './error-response.ts';

/** Seconds: about what a database takes to be back. */
const UNAVAILABLE_RETRY_AFTER = 5;

/**
 * The response to an `UnavailableError`. The specification lists one code for 503, which is about the messaging
 * network. INTERNAL_ERROR, whose status it leaves open, is the true one here, and the status says to come back.
 */
export function unavailable(): ToldError {
  return {
    code: 'INTERNAL_ERROR',
    status: 503,
    message: 'The service cannot reach its database or its files at the moment. Retry later.',
    details: { retry_after: UNAVAILABLE_RETRY_AFTER },
  };
}
