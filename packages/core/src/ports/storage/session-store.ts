import type { SessionNamesPage } from '../gateway.ts';
import type { Lease } from './lease.ts';

/** The values that a gateway keeps for each instance: small, named, and encrypted before they are stored. */
export interface SessionStore {
  load(instanceId: string): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The values with these names; names without a value are absent. Reads nothing else. */
  read(instanceId: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * The names that begin with `page.prefix` and follow `page.after`, in an order that the storage chooses and keeps.
   * Reads no more than the names of this instance.
   */
  names(instanceId: string, page: SessionNamesPage): Promise<readonly string[]>;
  /** Writes in one transaction; null deletes a value. */
  save(lease: Lease, changes: ReadonlyMap<string, Uint8Array | null>): Promise<'saved' | 'fenced'>;
  /**
   * Deletes values to erase a person, whichever process holds the instance. The holder may have values in memory, and
   * write them again.
   */
  erase(instanceId: string, names: readonly string[]): Promise<void>;
  /**
   * Replaces each stored value that is still `from`, in one transaction. Needs no lease, because it is only for the
   * same plaintext encrypted with another key: the holder of the lease reads the same from both values, and its writes
   * win.
   */
  replace(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void>;
}
