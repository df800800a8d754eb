import { apiKeyRoutes } from './api-key.ts';
import { contactRoutes } from './contacts.ts';
import { deliveryRoutes } from './deliveries.ts';
import { eventRoutes } from './events.ts';
import { groupRoutes } from './groups.ts';
import { instanceRoutes } from './instances.ts';
import { messageRoutes } from './messages.ts';
import { networkRoutes } from './networks.ts';
import { parameterOf } from './route.ts';
import type { Chapter, GroupName, Route, RouteDefinition, RouteGroup } from './route.ts';
import { trafficRoutes } from './traffic.ts';
import { webhookRoutes } from './webhooks.ts';

const GROUPS: { readonly [Name in GroupName]: RouteGroup<Name> } = {
  apiKey: apiKeyRoutes,
  instances: instanceRoutes,
  groups: groupRoutes,
  messages: messageRoutes,
  contacts: contactRoutes,
  webhooks: webhookRoutes,
  deliveries: deliveryRoutes,
  traffic: trafficRoutes,
  events: eventRoutes,
  networks: networkRoutes,
};

/** The chapters of the API reference, in their order. */
export const CHAPTERS: readonly Chapter[] = Object.values(GROUPS);

/** Every route, in the order of the specification's endpoint table. */
export const ROUTES: readonly Route[] = [
  ...routesOf('apiKey'),
  ...routesOf('instances'),
  ...routesOf('groups'),
  ...routesOf('messages'),
  ...routesOf('contacts'),
  ...routesOf('webhooks'),
  ...routesOf('deliveries'),
  ...routesOf('traffic'),
  ...routesOf('events'),
  ...routesOf('networks'),
];

function routesOf(group: GroupName): readonly Route[] {
  const chapter = GROUPS[group];
  return Object.entries<RouteDefinition>(chapter.routes).map(([name, definition]) => ({
    ...definition,
    operation: `${group}.${name}`,
    chapter,
    parameter: parameterOf(definition.path),
    queryNames: Object.keys(definition.query?.parameters ?? {}),
  }));
}
