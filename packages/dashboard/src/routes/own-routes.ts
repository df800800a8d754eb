import type { RequestGuard } from '@trunkline/http';
import type { DashboardTrunkline } from '../session.ts';
import type { OpenSignIn } from '../sign-in/sign-in.ts';
import { keyRoutes } from './key-routes.ts';
import { memberRoutes } from './member-routes.ts';
import type { OwnRoute } from './own-route.ts';
import { overviewRoutes } from './overview-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';
import { systemRoutes } from './system-routes.ts';
import { queueRoutes } from './queue-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

interface OwnRouteParts {
  readonly trunkline: DashboardTrunkline;
  /** Undefined if `authorize` is used. */
  readonly signIn: OpenSignIn | undefined;
  /** Checks the scopes and the rate limit of routes below a workspace. */
  readonly guard: Pick<RequestGuard, 'admit'>;
  readonly hasSandbox: boolean;
}

export function ownRoutes({ trunkline, signIn, guard, hasSandbox }: OwnRouteParts): readonly OwnRoute[] {
  const facts = { trunkline, features: { sandbox: hasSandbox, signOut: signIn !== undefined } };
  const { admin } = trunkline;
  return [
    ...sessionRoutes(facts),
    ...(signIn ? signInRoutes(signIn, facts) : []),
    ...workspaceRoutes(admin),
    ...keyRoutes(admin),
    ...memberRoutes(admin),
    ...subscriptionRoutes(admin),
    ...systemRoutes(trunkline),
    ...overviewRoutes(trunkline, guard),
    ...queueRoutes(trunkline, guard),
  ];
}
