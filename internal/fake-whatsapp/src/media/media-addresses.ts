import { createHmac, randomBytes } from 'node:crypto';

const VALID_MS = 14 * 24 * 60 * 60 * 1000;
const AUTH_MS = 6 * 60 * 60 * 1000;

/** Signed addresses for downloads and tokens for uploads, each valid for a limited time. */
export class MediaAddresses {
  readonly #now: () => number;
  #key = randomBytes(32);
  #tokens = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Signs a path as WhatsApp does: `oe` is the expiry, in hexadecimal seconds; `oh` is the signature. */
  sign(path: string): string {
    const oe = Math.floor((this.#now() + VALID_MS) / 1000).toString(16);
    return `${path}?ccb=11-4&oh=${this.#signature(path, oe)}&oe=${oe}`;
  }

  isValid(path: string, query: URLSearchParams): boolean {
    const oe = query.get('oe') ?? '';
    const isCurrent = Number.parseInt(oe, 16) * 1000 > this.#now();
    return isCurrent && query.get('oh') === this.#signature(path, oe);
  }

  newToken(): string {
    const token = randomBytes(12).toString('base64url');
    this.#tokens.set(token, this.#now() + AUTH_MS);
    return token;
  }

  mayUpload(query: URLSearchParams): boolean {
    return (this.#tokens.get(query.get('auth') ?? '') ?? 0) > this.#now();
  }

  /** Expires every address that was handed out so far. */
  expire(): void {
    this.#key = randomBytes(32);
  }

  expireTokens(): void {
    this.#tokens = new Map();
  }

  #signature(path: string, oe: string): string {
    return createHmac('sha256', this.#key).update(`${path} ${oe}`).digest('base64url').slice(0, 22);
  }
}
