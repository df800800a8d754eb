import { UnavailableError } from '@trunkline/core/spi/storage';

/**
 * What S3, or the way to it, refused. It has the request's method, the status and S3's code, and nothing else of the
 * response: where a signature is wrong, S3 repeats the session token and what was signed.
 */
export class S3Error extends UnavailableError {
  override readonly name = 'S3Error';
  /** Null where no response came. */
  readonly status: number | null;
  /** As in `AccessDenied`; null where the response had none. */
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
