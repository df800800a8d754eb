import type { Hono } from 'hono';
import type { Logger, Storage } from '@trunkline/core';

interface HealthParts {
  readonly storage: Pick<Storage, 'replaceSetting'>;
  readonly logger: Logger;
  readonly isDraining: () => boolean;
}

/** A slower storage could not serve a request either. */
const STORAGE_DEADLINE_MS = 2_000;

/** `/healthz` says that this process runs; `/readyz` says whether it can serve requests. */
export function addHealth(app: Hono, { storage, logger, isDraining }: HealthParts): void {
  // Writes, because a read-only storage cannot accept messages.
  const asked = oneAtATime(() => storage.replaceSetting('readiness', 'asked'));
  app.get('/healthz', (c) => c.json({ status: 'up' }));
  app.get('/readyz', async (c) => {
    if (isDraining()) return c.json({ status: 'draining' }, 503);
    try {
      await beforeDeadline(asked());
      return c.json({ status: 'ready' });
    } catch (error) {
      logger.warn(
        { err: error },
        'the storage does not take a write, so /readyz responds with 503: check the database and its disk',
      );
      return c.json({ status: 'unavailable' }, 503);
    }
  });
}

/**
 * Makes one call at a time, shared by its callers, so that the public endpoint piles up no requests to a hanging
 * storage.
 */
function oneAtATime<Reply>(ask: () => Promise<Reply>): () => Promise<Reply> {
  let inFlight: Promise<Reply> | null = null;
  return () =>
    (inFlight ??= ask().finally(() => {
      inFlight = null;
    }));
}

async function beforeDeadline<Value>(call: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`The storage did not take a write within ${STORAGE_DEADLINE_MS} ms.`)),
    STORAGE_DEADLINE_MS,
  );
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
