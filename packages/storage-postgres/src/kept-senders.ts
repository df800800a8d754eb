import { keepSenders } from '@trunkline/core/spi/storage';
import type { IdPrefix, KeptSenders, Sender, SenderPart } from '@trunkline/core/spi/storage';
import type { Connected } from './database.ts';
import { lookingUp } from './look-ups.ts';
import type { LookUp } from './look-ups.ts';
import { id, integerOrNull, json, textOrNull, word, wordOrNull } from './row.ts';
import type { Row } from './row.ts';
import { uuidToFind } from './uuid.ts';

export function keptSenders(connected: Connected): KeptSenders {
  return keepSenders({
    findWorkspace: finding(lookingUp(connected, 'trunkline.workspaces'), 'ten', readWorkspace),
    findInstance: finding(lookingUp(connected, 'trunkline.instances'), 'ins', readInstance),
  });
}

function finding<Found>(lookUp: LookUp, prefix: IdPrefix, read: (row: Row) => Found) {
  return async (key: string): Promise<Found | null> => {
    const row = await lookUp(uuidToFind(prefix, key));
    return row ? read(row) : null;
  };
}

// The parts of the revision are texts as they stand in the database: `revisionNow` makes the same of them.

function readInstance(row: Row): SenderPart<NonNullable<Sender['instance']>> {
  return {
    facts: Object.freeze({
      id: id(row, 'id', 'ins'),
      workspaceId: id(row, 'workspace_id', 'ten'),
      phoneNumber: textOrNull(row, 'phone_number'),
    }),
    revision: wordOrNull(row, 'phone_number') ?? '',
  };
}

function readWorkspace(row: Row): SenderPart<Sender['workspace']> {
  return {
    facts: Object.freeze({
      plan: Object.freeze(json<Sender['workspace']['plan']>(row, 'plan')),
      suspendedAt: integerOrNull(row, 'suspended_at'),
    }),
    revision: `${integerOrNull(row, 'suspended_at') ?? ''} ${word(row, 'plan')}`,
  };
}

/** `Sender.revision` as it is now, in SQL: null where there is no such sender any more. */
export function revisionNow(workspaceId: string, instanceId: string): string {
  return `
    SELECT concat(phone_number, ' ', suspended_at, ' ', plan)
    FROM trunkline.instances JOIN trunkline.workspaces ON workspaces.id = instances.workspace_id
    WHERE instances.id = ${instanceId} AND workspaces.id = ${workspaceId}`;
}
