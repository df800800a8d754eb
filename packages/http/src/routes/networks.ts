import { json } from '../route-response.ts';
import { network } from '../schemas/networks.ts';
import { list } from '../schemas/response-body.ts';
import type { RouteGroup } from './route.ts';

export const networkRoutes: RouteGroup<'networks'> = {
  tag: { name: 'Networks', description: 'The messaging networks that instances can be on.' },
  routes: {
    list: {
      operationId: 'listNetworks',
      method: 'GET',
      path: '/networks',
      beyond: true,
      summary: 'Lists the messaging networks of this service: what each can do, and how it is linked',
      scope: 'instances:read',
      success: { status: 200, body: list(network, 'All networks, the default one first') },
      errors: [],
      handle: async ({ api }) => json(await api.networks.list()),
    },
  },
};
