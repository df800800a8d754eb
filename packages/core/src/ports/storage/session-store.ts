import type { Lease } from './lease.ts';

/** What a gateway keeps for each instance: small named values, encrypted before they are stored. */
export interface SessionStore {
  load(instanceId: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Writes in one transaction; null deletes a value. */
  save(lease: Lease, changes: ReadonlyMap<string, Uint8Array | null>): Promise<'saved' | 'fenced'>;
  /**
   * In one transaction, replaces each stored value that is still `from`. Only for the same plaintext encrypted with
   * another key: it needs no lease, since the holder of the lease reads the same from both, and its own writes win.
   */
  replace(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void>;
}
