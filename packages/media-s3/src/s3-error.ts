import { UnavailableError } from '@trunkline/core/spi/storage';

/**
 * A request to S3 failed or was refused. The error has the request's method, the status and S3's code, and nothing else
 * of the response, because S3 repeats the session token and the signed text if a signature is wrong.
 */
export class S3Error extends UnavailableError {
  /** Always `S3Error`. */
  override readonly name = 'S3Error';
  /** The status of the response with which S3 refused the request; null for every other failure. */
  readonly status: number | null;
  /** S3's code, such as `AccessDenied`; null if the response has no code. */
  readonly code: string | null;

  constructor(message: string, details: { status?: number; code?: string | null; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.status = details.status ?? null;
    this.code = details.code ?? null;
  }
}

export function isS3Error(error: unknown, code: string): boolean {
  return error instanceof S3Error && error.code === code;
}
