import { checkCredentials } from './options.ts';
import type { S3Credentials } from './options.ts';

/**
 * How long before expiry the credentials are renewed, so that none expire in flight and the provider can be away for
 * some minutes.
 */
const EARLY_MS = 5 * 60_000;

export interface CredentialSource {
  get(): Promise<S3Credentials>;
  /** Drops credentials that were refused as expired, so that the next request asks the provider for new ones. */
  forget(): void;
}

/** Calls the provider once for all concurrent requests that need new credentials. */
export function createCredentialSource(find: () => Promise<S3Credentials>): CredentialSource {
  let known: S3Credentials | null = null;
  let inFlight: Promise<S3Credentials> | null = null;

  const isValidFor = (credentials: S3Credentials, ms: number): boolean =>
    credentials.expiration !== undefined && credentials.expiration.getTime() - ms > Date.now();
  const ask = async (): Promise<S3Credentials> => {
    try {
      known = checkCredentials(await find());
      return known;
    } catch (error) {
      // The next request asks again. If the provider stays away, its error is reported once the known credentials expire.
      if (known !== null && isValidFor(known, 0)) return known;
      throw error;
    } finally {
      inFlight = null;
    }
  };

  return {
    async get() {
      if (known !== null && isValidFor(known, EARLY_MS)) return known;
      inFlight ??= ask();
      return inFlight;
    },
    forget() {
      known = null;
    },
  };
}
