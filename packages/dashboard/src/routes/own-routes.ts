import type { RequestGuard } from '@trunkline/http';
import type { DashboardTrunkline } from '../session.ts';
import type { OpenSignIn } from '../sign-in/sign-in.ts';
import type { OwnRoute } from './own-route.ts';
import { sessionRoutes } from './session-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';

interface OwnRouteParts {
  readonly trunkline: DashboardTrunkline;
  readonly guard: RequestGuard;
  /** Undefined where `authorize` takes its place. */
  readonly signIn: OpenSignIn | undefined;
  readonly hasSandbox: boolean;
}

/** Every route of the dashboard's own. */
export function ownRoutes({ trunkline, signIn, hasSandbox }: OwnRouteParts): readonly OwnRoute[] {
  const facts = { trunkline, features: { sandbox: hasSandbox, signOut: signIn !== undefined } };
  return [...sessionRoutes(facts), ...(signIn ? signInRoutes(signIn, facts) : [])];
}
