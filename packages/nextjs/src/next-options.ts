import type { Trunkline, TrunklineOptions } from '@trunkline/core';
import type { NodeRuntime } from '@trunkline/core/node';
import type { HttpAppOptions } from '@trunkline/http';

/** The options of `createTrunkline`, of which `nodeRuntime()` provides what is left out, and those of Next.js. */
export interface NextTrunklineOptions<Transaction = never>
  extends
    Omit<TrunklineOptions<Transaction>, keyof NodeRuntime>,
    Partial<Pick<TrunklineOptions<Transaction>, keyof NodeRuntime>> {
  /** The options of `createHttpApp`. Its `basePath` is the path of the file that exports the handlers. */
  readonly http?: HttpAppOptions | undefined;
  /** Called before the service starts: the place for `trunkline.on`. */
  readonly beforeStart?: ((trunkline: Trunkline<Transaction>) => void | Promise<void>) | undefined;
  /**
   * Called by `next dev`, when the service has started for the first time, with an API key for the first workspace, which
   * is made if there is none. The key has every scope, and stays valid. `admin.apiKeys.createFirst` makes it. Never called
   * in production.
   */
  readonly developmentKey?: ((token: string) => void) | undefined;
}
