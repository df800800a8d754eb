import { getRequestListener } from '@hono/node-server';

// Replaces the global Request and Response as the first server in a process does, before the state of the process is
// noted.
getRequestListener(() => new Response());
