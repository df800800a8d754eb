import type { Lease } from './lease.ts';

/** What a gateway keeps for each instance: small named values, sealed before they come here. */
export interface SessionStore {
  load(instanceId: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Null deletes. One transaction. */
  save(lease: Lease, changes: ReadonlyMap<string, Uint8Array | null>): Promise<'saved' | 'fenced'>;
  /**
   * Replaces each stored value that still is `from`, in one transaction. Only for the same plaintext, sealed otherwise:
   * it needs no lease, as the holder of one reads the same in both, and its own writes win.
   */
  replace(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void>;
}
