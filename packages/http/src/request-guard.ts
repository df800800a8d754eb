import type { Principal, Scope } from '@trunkline/core';

/** What a request must pass before anything of it is read: its key, a workspace that is open, its rate limit and a scope. */
export interface RequestGuard {
  /**
   * Resolves with the holder of the key. Rejects with a `TrunklineError`: `UNAUTHENTICATED`, `INVALID_API_KEY`,
   * `WORKSPACE_MISMATCH`, `WORKSPACE_SUSPENDED`, `RATE_LIMITED` or `INSUFFICIENT_SCOPE`.
   */
  admit(request: Request, admission: Admission): Promise<Principal>;
  /**
   * The same again for a request that took long to arrive, without counting it, and with a new look-up: a key may have been
   * revoked, or its workspace suspended, in the meantime.
   */
  readmit(request: Request, scope: Scope | null): Promise<void>;
}

export interface Admission {
  /** What the key must be allowed to do; null for nothing in particular. */
  readonly scope: Scope | null;
  /** Called with the `X-RateLimit-*` headers, which belong into every response to a known key. */
  readonly onRateLimit?: (headers: Readonly<Record<string, string>>) => void;
  /** Called when a shared store of the rate limit has failed; the request is counted in this process then. */
  readonly onStoreFailure?: (error: unknown) => void;
}
