import { createTrunkline } from '@trunkline/core';
import type { Storage, TrunklineOptions } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';

/**
 * Starts and stops a service that does nothing: a secret key of another database is detected before anything is
 * created.
 */
export async function trySecretKey(
  storage: Storage,
  options: Pick<TrunklineOptions, 'secretKey' | 'logger'>,
): Promise<void> {
  const trunkline = createTrunkline({
    ...options,
    ...nodeRuntime(),
    storage: { ...storage, close: async () => {} }, // it remains in use
    gateway: createSandbox().gateway,
    roles: { api: false, gateway: false, webhooks: false, maintenance: false },
  });
  await trunkline.start();
  await trunkline.stop();
}
