import { apiKeyResource } from '@trunkline/core';
import { data } from '../answer.ts';
import type { Route } from './route.ts';

export const apiKeyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api-key',
    summary: 'Tells whose key this is and what it may do',
    scope: null,
    success: { status: 200, body: 'ApiKeyAnswer' },
    errors: [],
    handle: async ({ principal }) => data(apiKeyResource(principal.apiKey, principal.workspace)),
  },
];
