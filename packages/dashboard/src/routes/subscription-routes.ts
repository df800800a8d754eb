import type { Admin } from '@trunkline/core';
import { dataResponse, nothingResponse } from '../json-response.ts';
import { subscriptionResource } from './admin-resources.ts';
import type { OwnRoute } from './own-route.ts';

export function subscriptionRoutes({ subscriptions }: Pick<Admin, 'subscriptions'>): readonly OwnRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/subscriptions',
      access: 'see-all',
      async handle() {
        return dataResponse((await subscriptions.list()).map(subscriptionResource));
      },
    },
    {
      method: 'POST',
      path: '/admin/subscriptions/:name/retry-failed',
      access: 'admin',
      async handle({ parameter }) {
        return dataResponse(await subscriptions.retryFailedEvents(parameter('name')));
      },
    },
    {
      method: 'DELETE',
      path: '/admin/subscriptions/:name',
      access: 'admin',
      async handle({ parameter }) {
        await subscriptions.delete(parameter('name'));
        return nothingResponse();
      },
    },
  ];
}
