import type { Admin, Plan, Retention, Workspace } from '@trunkline/core';
import { workspaceResource } from '@trunkline/core/spi/http';
import { printable } from '../terminal/printable.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError, EXIT, usageError } from '../errors/command-error.ts';
import { requireConfirmation } from './confirm.ts';
import { withLocalService } from './local-service.ts';
import { SUBSCRIPTIONS } from './option-values.ts';
import { refusable } from './refusals.ts';
import { joinTexts } from '../terminal/styled-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts, table } from '../terminal/table.ts';
import type { Cell } from '../terminal/table.ts';

const MOST = 1_000_000_000;

export const listWorkspaces: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const workspaces = await allWorkspaces(admin);
    call.output.result(
      { data: workspaces.map(workspaceResource) },
      table(
        call.output,
        {
          id: (one) => one.id,
          name: { freeText: (one) => one.name },
          subscription: (one) => one.plan.subscription,
          suspended: (one) => suspensionText(one.suspendedAt),
        },
        workspaces,
      ),
    );
  });

export const createWorkspace: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const plan = planIn(call);
    const created = await refusable(admin.workspaces.create({ name: call.argument('name'), plan }));
    call.output.result(
      { data: workspaceResource(created) },
      joinTexts(
        [described(created), '', `Next: trunkline keys create --workspace ${created.id} --name <name>`],
        '\n',
      ),
    );
  });

export const suspendWorkspace: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const { id, name } = await workspaceNamed(admin, call.argument('workspace'));
    await requireConfirmation(
      call,
      `Every request with a key of the workspace ${printable(name)} (${id}) will be refused until it is resumed.`,
    );
    const suspended = await refusable(admin.workspaces.suspend(id));
    call.output.result({ data: workspaceResource(suspended) }, described(suspended));
  });

export const resumeWorkspace: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const resumed = await refusable(admin.workspaces.resume(call.argument('workspace')));
    call.output.result({ data: workspaceResource(resumed) }, described(resumed));
  });

export const setWorkspacePlan: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const plan = planIn(call);
    const id = call.argument('workspace');
    const changed =
      Object.keys(plan).length === 0
        ? await workspaceNamed(admin, id)
        : await refusable(admin.workspaces.setPlan(id, plan));
    call.output.result({ data: workspaceResource(changed) }, described(changed));
  });

export const setWorkspaceRetention: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const retention = retentionIn(call);
    const { id, name } = await workspaceNamed(admin, call.argument('workspace'));
    if (retention !== null && retention.messagesDays !== 'forever')
      await requireConfirmation(
        call,
        `All messages of the workspace ${printable(name)} (${id}) that are older than ${retention.messagesDays} days will be deleted, with their files, and from now on each that becomes so old.`,
      );
    const changed = await refusable(admin.workspaces.setRetention(id, retention));
    call.output.result({ data: workspaceResource(changed) }, described(changed));
  });

function retentionIn({ options }: Call): Retention | null {
  const days = options.text('messages-days');
  if (days === undefined)
    throw usageError('--messages-days is missing: a number of days, forever or default.');
  if (days === 'default') return null;
  if (days === 'forever') return { messagesDays: days };
  return { messagesDays: options.whole('messages-days', { min: 1, max: 36_500 }) ?? 'forever' };
}

/** The named workspace, or the only one. */
export async function workspaceMeant(admin: Admin, id: string | undefined): Promise<Workspace> {
  if (id !== undefined) return workspaceNamed(admin, id);
  const [only, ...others] = await admin.workspaces.list();
  if (only && others.length === 0) return only;
  throw usageError(
    only
      ? 'There are several workspaces: name one with --workspace. "trunkline workspaces list" lists them.'
      : 'There is no workspace yet: make one with "trunkline workspaces create".',
  );
}

async function workspaceNamed(admin: Admin, id: string): Promise<Workspace> {
  const found = await admin.workspaces.find(id);
  if (found) return found;
  throw new CommandError(`There is no workspace ${id}: "trunkline workspaces list" lists them.`, {
    exitCode: EXIT.refused,
    code: 'NOT_FOUND',
  });
}

async function allWorkspaces(admin: Admin): Promise<readonly Workspace[]> {
  const all: Workspace[] = [];
  for (;;) {
    const page = await admin.workspaces.list(all.at(-1)?.id);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

function planIn({ options }: Call): Partial<Plan> {
  const subscription = options.text('subscription');
  const known = SUBSCRIPTIONS.find((one) => one === subscription);
  if (subscription !== undefined && known === undefined)
    throw usageError(`--subscription must be one of ${SUBSCRIPTIONS.join(', ')}.`);
  const limit = (name: string): number | null | undefined =>
    options.text(name) === 'none' ? null : options.whole(name, { min: 0, max: MOST });
  const [instanceLimit, trialMessageLimit] = [limit('instance-limit'), limit('trial-message-limit')];
  const webhookLimit = options.whole('webhook-limit', { min: 0, max: MOST });
  return {
    ...(known !== undefined && { subscription: known }),
    ...(instanceLimit !== undefined && { instanceLimit }),
    ...(trialMessageLimit !== undefined && { trialMessageLimit }),
    ...(webhookLimit !== undefined && { webhookLimit }),
  };
}

function daysOf({ messagesDays }: Retention): string {
  return messagesDays === 'forever' ? 'for ever' : `${messagesDays} days`;
}

function described({ id, name, plan, retention, suspendedAt }: Workspace): Text {
  return facts({
    workspace: id,
    name,
    subscription: plan.subscription,
    'instance limit': plan.instanceLimit,
    'trial message limit': plan.trialMessageLimit,
    'webhook limit': plan.webhookLimit,
    'messages are kept': retention === null ? 'as by default' : daysOf(retention),
    suspended: suspensionText(suspendedAt),
  });
}

function suspensionText(suspendedAt: number | null): Cell {
  return suspendedAt === null ? 'no' : { tone: 'bad', text: `since ${new Date(suspendedAt).toISOString()}` };
}
