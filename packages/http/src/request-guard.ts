import type { Principal, Scope } from '@trunkline/core';

/** Checks a request before its body is read: the key, the workspace (not suspended), the rate limit and a scope. */
export interface RequestGuard {
  /**
   * Resolves with the key, its workspace and its member. Rejects with a `TrunklineError`: `UNAUTHENTICATED`,
   * `INVALID_API_KEY`, `WORKSPACE_MISMATCH`, `WORKSPACE_SUSPENDED`, `RATE_LIMITED` or `INSUFFICIENT_SCOPE`.
   */
  admit(request: Request, admission: Admission): Promise<Principal>;
  /**
   * Checks a long-running request again, such as an upload, with a fresh lookup and without counting, because the key
   * may have been revoked, or its workspace suspended, in the meantime. Rejects as `admit` does.
   */
  readmit(request: Request, scope: Scope | null): Promise<void>;
}

/** How `admit` checks a request. */
export interface Admission {
  /** The scope that the key needs; null if it needs none. */
  readonly scope: Scope | null;
  /** Called with the `X-RateLimit-*` headers, which every response to a known key must have. */
  readonly onRateLimit?: (headers: Readonly<Record<string, string>>) => void;
  /** Called if a shared store of the rate limit fails. The request is then counted in this process. */
  readonly onStoreFailure?: (error: unknown) => void;
}
