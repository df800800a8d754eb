import type { Logger } from '@trunkline/core';
import { isUnavailable } from '@trunkline/core/spi/http';

interface FailedWork {
  /** The facts that identify the request, such as the request id of its response. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/**
 * Logs an error that callers see as INTERNAL_ERROR: as a warning if the database or the media store is unavailable,
 * otherwise as an error with `message`.
 */
export function logFailure(
  logger: Pick<Logger, 'warn' | 'error'>,
  error: unknown,
  { request, message = REQUEST_FAILED }: FailedWork,
): void {
  // Group the request's facts in `request`, so that these lines count as repeats: while the database is unreachable,
  // every request fails, each with its own id.
  if (isUnavailable(error)) logger.warn({ request, err: error }, UNAVAILABLE);
  else logger.error({ ...request, err: error }, message);
}

const REQUEST_FAILED =
  'a request failed through no fault of its caller: fix the cause in err, or report it as a defect; the response has the same requestId';
const UNAVAILABLE =
  'requests get 503, because the database or the media store does not carry out what they need: err says why; check both';
