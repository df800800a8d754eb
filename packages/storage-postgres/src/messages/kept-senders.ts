import { keepSenders } from '@trunkline/core/spi/storage';
import type { IdPrefix, KeptSenders } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { lookingUp } from '../database/look-ups.ts';
import type { LookUp } from '../database/look-ups.ts';
import { senders } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidToFind } from '../rows/uuid.ts';

export function keptSenders(connected: Connected): KeptSenders {
  return keepSenders({
    findWorkspace: finding(lookingUp(connected, 'trunkline.workspaces'), 'ten', senders.workspace),
    findInstance: finding(lookingUp(connected, 'trunkline.instances'), 'ins', senders.instance),
  });
}

function finding<Found>(lookUp: LookUp, prefix: IdPrefix, read: (row: Row) => Found) {
  return async (key: string): Promise<Found | null> => {
    const row = await lookUp(uuidToFind(prefix, key));
    return row ? read(row) : null;
  };
}

/**
 * The current `Sender.revision` in SQL, built from the same texts as in `senders`; null if the sender no longer exists.
 */
export function revisionNow(workspaceId: string, instanceId: string): string {
  return `
    SELECT concat(phone_number, ' ', capabilities, ' ', suspended_at, ' ', plan)
    FROM trunkline.instances JOIN trunkline.workspaces ON workspaces.id = instances.workspace_id
    WHERE instances.id = ${instanceId} AND workspaces.id = ${workspaceId}`;
}
