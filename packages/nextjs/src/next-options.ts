import type { Trunkline, TrunklineOptions } from '@trunkline/core';
import type { NodeRuntime } from '@trunkline/core/node';
import type { HttpAppOptions } from '@trunkline/http';

/** The options for Next.js, and those of `createTrunkline`. The options that `nodeRuntime()` returns may be omitted. */
export interface NextTrunklineOptions<Transaction = never>
  extends
    Omit<TrunklineOptions<Transaction>, keyof NodeRuntime>,
    Partial<Pick<TrunklineOptions<Transaction>, keyof NodeRuntime>> {
  /** The options of `createHttpApp`. `basePath` must be the path of the route that exports the handlers. */
  readonly http?: HttpAppOptions | undefined;
  /** Called before the service starts, for example to call `trunkline.on`. */
  readonly beforeStart?: ((trunkline: Trunkline<Transaction>) => void | Promise<void>) | undefined;
  /**
   * In `next dev`, called with a new API key after the start if the oldest workspace, which is created if necessary,
   * has no valid key. `admin.apiKeys.createFirst` creates the key, which has every scope and stays valid. Never called
   * in production.
   */
  readonly developmentKey?: ((token: string) => void) | undefined;
}
