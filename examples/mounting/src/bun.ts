// bun src/bun.ts
import { nodeRuntime } from '@trunkline/core/node';
import { everywherePublic, startService } from './service.ts';

const { API_KEY = '', PORT = '8080' } = process.env;
const { api } = await startService(nodeRuntime({ dns: everywherePublic }), { apiKey: API_KEY });

export default { hostname: '127.0.0.1', port: Number(PORT), fetch: (request: Request) => api.fetch(request) };
