import type { Trunkline, TrunklineOptions } from '@trunkline/core';
import type { NodeRuntime } from '@trunkline/core/node';
import type { HttpAppOptions } from '@trunkline/http';

/**
 * The options for Next.js, and those of `createTrunkline`. `nodeRuntime()` provides its options if they are omitted.
 */
export interface NextTrunklineOptions<Transaction = never>
  extends
    Omit<TrunklineOptions<Transaction>, keyof NodeRuntime>,
    Partial<Pick<TrunklineOptions<Transaction>, keyof NodeRuntime>> {
  /** The options of `createHttpApp`. `basePath` must be the path of the file that exports the handlers. */
  readonly http?: HttpAppOptions | undefined;
  /** Called before the service starts, for example for `trunkline.on`. */
  readonly beforeStart?: ((trunkline: Trunkline<Transaction>) => void | Promise<void>) | undefined;
  /**
   * Called by `next dev` after the service has started, if the oldest workspace has no valid API key, with a new key
   * for it. The workspace is created if there is none. `admin.apiKeys.createFirst` creates the key, which has every
   * scope and stays valid. Never called in production.
   */
  readonly developmentKey?: ((token: string) => void) | undefined;
}
