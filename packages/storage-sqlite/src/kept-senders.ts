import { keepSenders } from '@trunkline/core/spi/storage';
import type { KeptSenders, Sender, SenderPart } from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import { integerOrNull, json, text, textOrNull } from './row.ts';
import type { Row } from './row.ts';

/** No other process reports a change to this one: what is kept may be old for as long as it is kept. */
export function keptSenders(connected: Connected): KeptSenders {
  return keepSenders({
    findWorkspace: async (id) => {
      const row = connected().database.get('SELECT plan, suspended_at FROM workspaces WHERE id = ?', id);
      return row ? readWorkspace(row) : null;
    },
    findInstance: async (id) => {
      const row = connected().database.get(
        'SELECT id, workspace_id, phone_number FROM instances WHERE id = ?',
        id,
      );
      return row ? readInstance(row) : null;
    },
  });
}

/** Its part of `Sender.revision`. */
export function workspaceRevision(row: Row): string {
  return `${integerOrNull(row, 'suspended_at') ?? ''} ${text(row, 'plan')}`;
}

/** Its part of `Sender.revision`. */
export function instanceRevision(row: Row): string {
  return textOrNull(row, 'phone_number') ?? '';
}

function readWorkspace(row: Row): SenderPart<Sender['workspace']> {
  return {
    facts: Object.freeze({
      plan: Object.freeze(json<Sender['workspace']['plan']>(row, 'plan')),
      suspendedAt: integerOrNull(row, 'suspended_at'),
    }),
    revision: workspaceRevision(row),
  };
}

function readInstance(row: Row): SenderPart<NonNullable<Sender['instance']>> {
  return {
    facts: Object.freeze({
      id: text(row, 'id'),
      workspaceId: text(row, 'workspace_id'),
      phoneNumber: textOrNull(row, 'phone_number'),
    }),
    revision: instanceRevision(row),
  };
}
