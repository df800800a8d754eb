import type { Trunkline } from '@trunkline/core';
import type { NextTrunklineOptions } from './next-options.ts';
import { createOneService } from './one-service.ts';
import { createService } from './service.ts';

/** The functions that the files of an app export or call. */
export interface NextTrunkline<Transaction = never> {
  /**
   * Starts the service with the server. Call it in `instrumentation.ts`. Rejects if an option is wrong: `next dev` then
   * ends, and `next start` responds to all requests with 500. If the database cannot be used, logs the error, resolves,
   * and tries again every 5 seconds. Does nothing during `next build` or in the Edge runtime.
   */
  register(): Promise<void>;
  /**
   * The API, for `app/api/v1/[...path]/route.ts`. A request starts the service if necessary, and gets a 503 if it
   * cannot start.
   */
  readonly handlers: Readonly<Record<Method, (request: Request) => Promise<Response>>>;
  /**
   * Returns the started service, for routes, server actions and pages. Rejects if the service cannot start, during
   * `next build` and in the Edge runtime.
   */
  trunkline(): Promise<Trunkline<Transaction>>;
  /** Stops the service, for tests and custom servers. The next call of another function starts the service again. */
  stop(): Promise<void>;
}

type Method = 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT';

/**
 * Runs one service in the process of Next.js, however many bundles and hot reloads evaluate the file that calls this.
 * Evaluating the file opens nothing: `configure` is called at the first start, and again only after a failed start or
 * `stop()`. SIGTERM and SIGINT stop the service. Set `NEXT_MANUAL_SIG_HANDLE`, so that Next.js waits until the service
 * has stopped.
 *
 * @example
 * export const { handlers, register, trunkline } = createNextTrunkline(() => ({
 *   storage: sqliteStorage({ path: 'trunkline.db' }),
 *   gateway: createSandbox().gateway,
 *   secretKey: process.env.SECRET_KEY,
 * }));
 */
export function createNextTrunkline<Transaction = never>(
  configure: () => NextTrunklineOptions<Transaction> | Promise<NextTrunklineOptions<Transaction>>,
): NextTrunkline<Transaction> {
  const one = createOneService<Transaction>(async () => createService(await configure()));
  const handle = (request: Request): Promise<Response> => one.serve(request);
  return {
    register: () => one.register(),
    handlers: { DELETE: handle, GET: handle, HEAD: handle, PATCH: handle, POST: handle, PUT: handle },
    trunkline: () => one.started(),
    stop: () => one.stop(),
  };
}
