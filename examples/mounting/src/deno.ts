// deno serve --allow-all --host 127.0.0.1 --port 8080 src/deno.ts
import process from 'node:process';
import { nodeRuntime } from '@trunkline/core/node';
import { everywherePublic, startService } from './service.ts';

const { API_KEY = '' } = process.env;
const { api } = await startService(nodeRuntime({ dns: everywherePublic }), { apiKey: API_KEY });

export default { fetch: (request: Request) => api.fetch(request) };
