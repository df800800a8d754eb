import { SCOPES } from '@trunkline/core';
import type { ApiKeyInfo, Scope } from '@trunkline/core';
import { keyResource, timestamp, timestampOrNull } from '@trunkline/core/spi/http';
import type { Call, CommandHandler } from './command.ts';
import { usageError } from '../errors/command-error.ts';
import { requireConfirmation } from './confirm.ts';
import { withLocalService } from './local-service.ts';
import { refusable } from './refusals.ts';
import type { Toned } from '../terminal/styled-text.ts';
import { facts, table } from '../terminal/table.ts';
import { workspaceMeant } from './workspaces.ts';

const DAY_MS = 24 * 60 * 60_000;

export const listKeys: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const { id } = await workspaceMeant(admin, call.options.text('workspace'));
    const keys = await admin.apiKeys.list(id);
    call.output.result(
      { data: keys.map(keyResource) },
      table(
        call.output,
        {
          id: (key) => key.id,
          name: { freeText: (key) => key.name },
          'begins with': (key) => key.prefix,
          scopes: { freeText: (key) => key.scopes.join(',') },
          state: stateOf,
          'last used': (key) => timestampOrNull(key.lastUsedAt) ?? 'never',
        },
        keys,
      ),
    );
  });

export const createKey: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const days = call.options.whole('expires-in-days', { min: 1, max: 36_500 });
    const scopes = scopesIn(call);
    const { id: workspaceId, name: workspace } = await workspaceMeant(admin, call.options.text('workspace'));
    const { token, apiKey } = await refusable(
      admin.apiKeys.create({
        workspaceId,
        name: call.options.text('name') ?? 'Command line',
        scopes,
        memberId: call.options.text('member'),
        expiresAt: days === undefined ? undefined : Date.now() + days * DAY_MS,
      }),
    );
    call.output.result(
      { data: { ...keyResource(apiKey), token } },
      facts({ key: apiKey.id, name: apiKey.name, workspace, scopes: apiKey.scopes.join(','), token }),
    );
    call.output.note('The token is shown only this once.');
  });

export const revokeKey: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const { id: workspaceId } = await workspaceMeant(admin, call.options.text('workspace'));
    const id = call.argument('key');
    await requireConfirmation(
      call,
      `Whoever uses the API key ${id} will get 401 from now on; this cannot be undone.`,
    );
    const revoked = await refusable(admin.apiKeys.revoke(workspaceId, id));
    call.output.result(
      { data: keyResource(revoked) },
      facts({ key: revoked.id, name: revoked.name, state: stateOf(revoked) }),
    );
  });

function scopesIn({ options }: Call): readonly Scope[] {
  const names = options.list('scopes');
  if (names === undefined) return SCOPES;
  return names.map((name) => {
    const scope = SCOPES.find((one) => one === name);
    if (scope === undefined)
      throw usageError(`--scopes must be a comma-separated list of ${SCOPES.join(', ')}.`);
    return scope;
  });
}

function stateOf({ revokedAt, expiresAt }: ApiKeyInfo): Toned {
  if (revokedAt !== null) return { tone: 'bad', text: `revoked ${timestamp(revokedAt)}` };
  if (expiresAt === null) return { tone: 'good', text: 'valid' };
  return expiresAt <= Date.now()
    ? { tone: 'bad', text: `expired ${timestamp(expiresAt)}` }
    : { tone: 'good', text: `valid until ${timestamp(expiresAt)}` };
}
