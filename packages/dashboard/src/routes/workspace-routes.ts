import type { Admin, Plan, Workspace } from '@trunkline/core';
import { workspaceResource } from '@trunkline/core/spi/http';
import { dataResponse } from '../json-response.ts';
import { newWorkspace, workspaceChanges } from '../schemas/admin.ts';
import type { WorkspaceChanges, WorkspacePage, WorkspaceResource } from '../schemas/admin.ts';
import { refused } from '../session.ts';
import type { OwnRoute } from './own-route.ts';
import { readBody } from './read-body.ts';

/** The size of a page of `admin.workspaces.list`. */
const PAGE = 100;
const SEARCHED_PAGES = 10;

export function workspaceRoutes({
  workspaces,
  instances,
}: Pick<Admin, 'workspaces' | 'instances'>): readonly OwnRoute[] {
  const responseOf = async (workspace: Workspace): Promise<Response> =>
    dataResponse(withNumbers(workspace, await instances.countIn([workspace.id])));
  return [
    {
      method: 'GET',
      path: '/admin/workspaces',
      access: 'see-all',
      async handle({ request }) {
        const { searchParams } = new URL(request.url);
        const after = searchParams.get('after') ?? undefined;
        const { found, next } = await find(workspaces, { wanted: searchParams.get('find') ?? '', after });
        const numbers = await instances.countIn(found.map(({ id }) => id));
        const page: WorkspacePage = {
          workspaces: found.map((workspace) => withNumbers(workspace, numbers)),
          next_after: next,
        };
        return dataResponse(page);
      },
    },
    {
      method: 'POST',
      path: '/admin/workspaces',
      access: 'admin',
      async handle({ body }) {
        return responseOf(await workspaces.create(readBody(newWorkspace, body)));
      },
    },
    {
      method: 'GET',
      path: '/admin/workspaces/:workspace',
      access: 'see-all',
      async handle({ parameter }) {
        return responseOf(await existing(workspaces, parameter('workspace')));
      },
    },
    {
      method: 'PATCH',
      path: '/admin/workspaces/:workspace',
      access: 'admin',
      async handle({ parameter, body }) {
        const changes = readBody(workspaceChanges, body);
        return responseOf(await change(workspaces, parameter('workspace'), changes));
      },
    },
    ...(['suspend', 'resume'] as const).map((action): OwnRoute => ({
      method: 'POST',
      path: `/admin/workspaces/:workspace/${action}`,
      access: 'admin',
      async handle({ parameter }) {
        return responseOf(await workspaces[action](parameter('workspace')));
      },
    })),
  ];
}

/** `numbers` counts each workspace's numbers; 0 if missing. */
function withNumbers(workspace: Workspace, numbers: ReadonlyMap<string, number>): WorkspaceResource {
  return { ...workspaceResource(workspace), numbers: numbers.get(workspace.id) ?? 0 };
}

/** Returns one page; for a search, the matches in up to ten pages. */
async function find(
  workspaces: Admin['workspaces'],
  { wanted, after }: { readonly wanted: string; readonly after: string | undefined },
): Promise<{ readonly found: readonly Workspace[]; readonly next: string | null }> {
  const text = wanted.trim().toLowerCase();
  const found: Workspace[] = [];
  let next = after;
  for (let page = 0; page < (text === '' ? 1 : SEARCHED_PAGES); page++) {
    const read = await workspaces.list(next);
    found.push(...read.filter(({ id, name }) => id === text || name.toLowerCase().includes(text)));
    if (read.length < PAGE) return { found, next: null };
    next = read.at(-1)?.id;
    if (found.length >= PAGE) break;
  }
  return { found, next: next ?? null };
}

async function existing(workspaces: Admin['workspaces'], id: string): Promise<Workspace> {
  const workspace = await workspaces.find(id);
  if (!workspace) throw refused('NOT_FOUND', 'There is no such workspace.');
  return workspace;
}

/** Makes the changes one by one. The request has already been validated as a whole. */
async function change(
  workspaces: Admin['workspaces'],
  id: string,
  { name, plan, messages_days: messagesDays }: WorkspaceChanges,
): Promise<Workspace> {
  let changed = await existing(workspaces, id);
  if (name !== undefined) changed = await workspaces.rename(id, name);
  if (plan !== undefined) changed = await workspaces.setPlan(id, planChanges(plan));
  if (messagesDays !== undefined)
    changed = await workspaces.setRetention(id, messagesDays === null ? null : { messagesDays });
  return changed;
}

function planChanges(given: NonNullable<WorkspaceChanges['plan']>): Partial<Plan> {
  const { subscription, instance_limit, trial_message_limit, webhook_limit } = given;
  return {
    ...(subscription !== undefined && { subscription }),
    ...(instance_limit !== undefined && { instanceLimit: instance_limit }),
    ...(trial_message_limit !== undefined && { trialMessageLimit: trial_message_limit }),
    ...(webhook_limit !== undefined && { webhookLimit: webhook_limit }),
  };
}
