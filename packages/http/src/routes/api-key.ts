import { apiKeyResource } from '@trunkline/core/spi/http';
import { data } from '../route-response.ts';
import { apiKey } from '../schemas/api-key.ts';
import { one } from '../schemas/response-body.ts';
import type { RouteGroup } from './route.ts';

export const apiKeyRoutes: RouteGroup<'apiKey'> = {
  tag: { name: 'API key', description: 'Whose key it is and what it may do.' },
  routes: {
    get: {
      operationId: 'getApiKey',
      method: 'GET',
      path: '/api-key',
      summary: 'Returns the owner and the scopes of the API key',
      scope: null,
      success: { status: 200, body: one(apiKey, 'The key and its workspace') },
      errors: [],
      handle: async ({ principal }) => data(apiKeyResource(principal.apiKey, principal.workspace)),
    },
  },
};
