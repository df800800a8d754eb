import { apiKeyRoutes } from './api-key.ts';
import { deliveryRoutes } from './deliveries.ts';
import { instanceRoutes } from './instances.ts';
import { messageRoutes } from './messages.ts';
import type { Route } from './route.ts';
import { webhookRoutes } from './webhooks.ts';

/** The endpoint table of the specification. */
export const ROUTES: readonly Route[] = [
  ...apiKeyRoutes,
  ...instanceRoutes,
  ...messageRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
];
