import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import type { Logger, Trunkline } from '@trunkline/core';
import { createHttpApp } from '@trunkline/http';
import type { RateLimitOptions } from '@trunkline/http';
import { answerErrors, errorAnswer, refused } from './error-answer.ts';
import { addSandboxControls } from './sandbox-controls.ts';
import type { SandboxControls } from './sandbox-controls.ts';

interface ServerParts extends SandboxControls {
  readonly trunkline: Trunkline;
  /** Of each API key; false is off. */
  readonly rateLimit: RateLimitOptions | false;
  readonly logger: Logger;
}

/** Everything that the server answers: the API, the hands on the sandbox's phones, and whether it is well. */
export function createServerApp(parts: ServerParts): Hono {
  const { trunkline, rateLimit, logger } = parts;
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'up' }));
  app.get('/readyz', async (c) => {
    try {
      await trunkline.admin.workspaces.list();
      return c.json({ status: 'ready' });
    } catch (error) {
      logger.warn({ err: error }, 'the storage does not answer');
      return c.json({ status: 'unavailable' }, 503);
    }
  });

  if (trunkline.roles.api) {
    const api = createHttpApp(trunkline, {
      rateLimit,
      onError: (error, request) => logger.error({ ...request, err: error }, 'a request failed'),
    });
    app.route('/', api);
  }
  app.use(requestId({ limitLength: 128, generator: () => trunkline.newRequestId() }));
  addSandboxControls(app, parts);
  app.notFound((c) => errorAnswer(c, refused('NOT_FOUND', 'There is nothing at this path.')));
  app.onError(answerErrors(logger));
  return app;
}

/** While the storage is being opened. */
export function createStartingApp(): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.json({ status: 'up' }));
  app.get('/readyz', (c) => c.json({ status: 'starting' }, 503));
  app.notFound((c) => {
    c.header('Retry-After', '1');
    return errorAnswer(c, refused('GATEWAY_UNAVAILABLE', 'The server is starting.'));
  });
  return app;
}
