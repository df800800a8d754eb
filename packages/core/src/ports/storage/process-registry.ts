import type { GatewayShare } from '../../domain/instance/instance-shares.ts';
import type { ProcessVitals } from '../process-monitor.ts';

/** The processes that share the instances on one database. */
export interface ProcessRegistry {
  /**
   * Registers this owner of leases for a network at `now`, with the time until which it asks for instances (by default,
   * it does not ask). Counts only owners and instances of this network. Deregisters owners that last registered at `since` or earlier, or too far ahead (`latestRegistration`).
   */
  register(
    owner: string,
    report: {
      readonly network: string;
      readonly now: number;
      readonly since: number;
      readonly asksUntil?: number;
    },
  ): Promise<GatewayShare>;
  /** Removes this owner, which has stopped, for all networks. */
  deregister(owner: string): Promise<void>;
  /**
   * Stores a report of this process, replacing its last report. Forgets processes that last reported at `since` or
   * earlier, or too far ahead (`latestRegistration`).
   */
  report(report: ProcessReport, at: { readonly now: number; readonly since: number }): Promise<void>;
  /** Forgets this process, which has stopped. */
  withdraw(name: string): Promise<void>;
  /** The last report of each process, with its holdings at `now`: by name, at most `limit`. */
  list(at: { readonly now: number; readonly limit: number }): Promise<readonly ReportedProcess[]>;
  /**
   * Releases the holdings of other processes that have provably ended, as if they had expired at `now`: leases (signals
   * `instance` for each) and claims of deliveries and events (signals `deliveries` and `subscriptions`). Returns the
   * number of these processes. If it cannot be proven that a process has ended, its leases and claims have to run out.
   * The first call registers this process, whose earlier claims are never released in this way. Absent if a storage's
   * leases and claims end with their process.
   */
  releaseEnded?(now: number): Promise<number>;
}

/** Times are epoch milliseconds. */
export interface ProcessReport {
  /** The name under which the process holds instances; their histories show this name as `process`. */
  readonly name: string;
  /** The names of the process's roles. */
  readonly roles: readonly string[];
  /** When the process started; epoch milliseconds. */
  readonly startedAt: number;
  /** When the process made this report; epoch milliseconds. */
  readonly reportedAt: number;
  /** Null if the runtime does not report vitals. */
  readonly vitals: ProcessVitals | null;
}

/** The last report of a process, and its holdings. */
export interface ReportedProcess extends ProcessReport {
  /** How many instances the process holds. */
  readonly held: number;
}
