import type { DashboardTrunkline, Session } from '../session.ts';
import { signedOut } from '../session.ts';
import type { SessionResource } from '../schemas/session.ts';
import { dataResponse } from '../json-response.ts';
import { VERSION } from '../version.ts';
import type { OwnRoute } from './own-route.ts';

export interface SessionFacts {
  readonly trunkline: DashboardTrunkline;
  readonly features: SessionResource['features'];
}

export function sessionRoutes(facts: SessionFacts): readonly OwnRoute[] {
  return [
    {
      method: 'GET',
      path: '/session',
      access: 'session',
      async handle({ session }) {
        if (!session) throw signedOut();
        return dataResponse(await sessionResource(facts, session));
      },
    },
  ];
}

export async function sessionResource(
  { trunkline, features }: SessionFacts,
  { access, scopes, workspaceId, principal }: Session,
): Promise<SessionResource> {
  const workspace =
    principal?.workspace ??
    (workspaceId === null ? null : await trunkline.admin.workspaces.find(workspaceId));
  // `authorize` may name a workspace that does not exist.
  const shown = workspace ?? (workspaceId === null ? null : { id: workspaceId, name: workspaceId });
  return {
    access,
    scopes,
    workspace: shown && { id: shown.id, name: shown.name },
    features,
    version: VERSION,
  };
}
