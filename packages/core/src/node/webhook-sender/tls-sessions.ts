export interface TlsSession {
  readonly session: Buffer;
  /** When the certificate behind it was last checked, on the monotonic clock. */
  readonly verifiedAt: number;
}

/**
 * What is needed to resume TLS with a host, which saves most of a handshake. undici keeps the same by weak
 * references, and has lost it by the next connection.
 */
export class TlsSessions {
  readonly #byOrigin = new Map<string, TlsSession>();

  get(origin: string): TlsSession | undefined {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined && performance.now() - known.verifiedAt < SESSION_LIFETIME_MS) return known;
    this.#byOrigin.delete(origin);
    return undefined;
  }

  set(origin: string, session: TlsSession): void {
    this.#byOrigin.delete(origin);
    this.#byOrigin.set(origin, session);
    if (this.#byOrigin.size <= MAX_SESSIONS) return;
    for (const oldest of this.#byOrigin.keys()) {
      this.#byOrigin.delete(oldest);
      break;
    }
  }

  delete(origin: string): void {
    this.#byOrigin.delete(origin);
  }
}

const MAX_SESSIONS = 2_048;

/** A certificate that has expired meanwhile is noticed after this long. */
const SESSION_LIFETIME_MS = 10 * 60 * 1000;
