import { createTrunkline } from '@trunkline/core';
import type { Storage, TrunklineOptions } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';

/**
 * Checks the secret key by starting and stopping an idle service. Rejects if the key does not fit the database. Call it
 * before anything is created.
 */
export async function trySecretKey(
  storage: Storage,
  options: Pick<TrunklineOptions, 'secretKey' | 'logger'>,
): Promise<void> {
  const trunkline = createTrunkline({
    ...options,
    ...nodeRuntime(),
    storage: { ...storage, close: async () => {} }, // storage stays in use
    gateways: [createSandbox().gateway],
    roles: { api: false, gateway: false, webhooks: false, maintenance: false },
  });
  await trunkline.start();
  await trunkline.stop();
}
