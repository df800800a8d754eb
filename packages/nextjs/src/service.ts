import { createTrunkline } from '@trunkline/core';
import type { Trunkline, TrunklineOptions } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createHttpApp } from '@trunkline/http';
import type { NextTrunklineOptions } from './next-options.ts';

export interface Service<Transaction> {
  readonly trunkline: Trunkline<Transaction>;
  readonly clock: TrunklineOptions['clock'];
  start(): Promise<void>;
  /** Serves the API. Works only after the start. */
  respond(request: Request): Response | Promise<Response>;
}

/** Opens nothing before `start()`. Throws a TypeError that names the missing or wrong option. */
export async function createService<Transaction>({
  http,
  beforeStart,
  developmentKey,
  ...given
}: NextTrunklineOptions<Transaction>): Promise<Service<Transaction>> {
  const options = { ...nodeRuntime(), ...given };
  const trunkline = createTrunkline(options);
  const api = trunkline.roles.api ? createHttpApp(trunkline, http) : null;
  await beforeStart?.(trunkline);
  return {
    trunkline,
    clock: options.clock,
    async start() {
      await trunkline.start();
      if (developmentKey === undefined || process.env.NODE_ENV !== 'development') return;
      try {
        const { token } = await trunkline.admin.apiKeys.createFirst();
        if (token !== null) developmentKey(token);
      } catch (error) {
        await trunkline.stop();
        throw error;
      }
    },
    respond(request) {
      if (api) return api.fetch(request);
      throw new Error(
        'The handlers of createNextTrunkline cannot serve the API: this process does not have the role "api". Create it with roles: { api: true }, or remove the route.',
      );
    },
  };
}
