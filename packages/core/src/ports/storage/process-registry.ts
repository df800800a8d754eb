import type { GatewayShare } from '../../domain/instance/instance-shares.ts';

/** The processes that share the instances of an installation. */
export interface ProcessRegistry {
  /**
   * Notes that this owner of leases is at work at `now`, and until when it asks for instances (by default it does not).
   * Those who were last at work at `since` or earlier, or too far ahead (`latestRegistration`), are deregistered.
   */
  register(
    owner: string,
    report: { readonly now: number; readonly since: number; readonly asksUntil?: number },
  ): Promise<GatewayShare>;
  /** This owner is at work no more. */
  deregister(owner: string): Promise<void>;
  /**
   * Releases what other processes held that have certainly ended without releasing it, as if it had expired at `now`:
   * leases, which signals `instance` for each, and claims of deliveries and events, which signals `deliveries` and
   * `subscriptions`. Returns how many processes that were. What cannot be proven waits for the ends of leases and claims.
   * The first call makes this process known: what is claimed before is never released by this. Absent where what a
   * process holds goes with it.
   */
  releaseEnded?(now: number): Promise<number>;
}
