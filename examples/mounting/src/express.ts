import { getRequestListener } from '@hono/node-server';
import express from 'express';
import type { Express, RequestHandler } from 'express';
import type { Api, Mountable } from './service.ts';

/** Your Express app, with the API and the dashboard in it. */
export function expressApp({ api, dashboard }: Mountable): Express {
  const yours = express();
  // Mounted before `express.json()`, which would read the bodies. Not with `use('/api/v1')`, which cuts the path off.
  yours.all('/api/v1/{*rest}', listenerOf(api));
  yours.all('/messaging{/*rest}', listenerOf(dashboard));
  yours.use(express.json());
  yours.post('/orders', (request, response) => {
    response.json({ ordered: request.body });
  });
  return yours;
}

function listenerOf({ fetch }: Api): RequestHandler {
  const listener = getRequestListener((request) => fetch(request), { overrideGlobalObjects: false });
  return (request, response) => listener(request, response);
}
