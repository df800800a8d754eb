import { checkCredentials } from './options.ts';
import type { S3Credentials } from './options.ts';

/** Early enough that none expire in flight, and a short outage of the provider does no harm. */
const EARLY_MS = 5 * 60_000;

export interface CredentialSource {
  get(): Promise<S3Credentials>;
  /** Drops credentials that were refused as expired: the next request asks the provider for new ones. */
  forget(): void;
}

/** Asks the provider once for all requests that need new credentials concurrently. */
export function createCredentialSource(find: () => Promise<S3Credentials>): CredentialSource {
  let known: S3Credentials | null = null;
  let inFlight: Promise<S3Credentials> | null = null;

  const holds = (credentials: S3Credentials): boolean =>
    credentials.expiration !== undefined && credentials.expiration.getTime() - EARLY_MS > Date.now();
  const ask = async (): Promise<S3Credentials> => {
    try {
      known = checkCredentials(await find());
      return known;
    } finally {
      inFlight = null;
    }
  };

  return {
    async get() {
      if (known !== null && holds(known)) return known;
      inFlight ??= ask();
      return inFlight;
    },
    forget() {
      known = null;
    },
  };
}
