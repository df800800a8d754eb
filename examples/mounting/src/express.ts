import { getRequestListener } from '@hono/node-server';
import express from 'express';
import type { Express } from 'express';
import type { Api } from './service.ts';

/** An Express app of yours, with the API in it. */
export function expressApp(api: Api): Express {
  const yours = express();
  const listener = getRequestListener((request) => api.fetch(request), { overrideGlobalObjects: false });
  // In front of `express.json()`, which would read the bodies. Not with `use('/api/v1')`, which cuts the path off.
  yours.all('/api/v1/{*rest}', (request, response) => listener(request, response));
  yours.use(express.json());
  yours.post('/orders', (request, response) => {
    response.json({ ordered: request.body });
  });
  return yours;
}
