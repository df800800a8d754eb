import { keepSenders } from '@trunkline/core/spi/storage';
import type { KeptSenders } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import { senders } from '../rows/row.ts';

/** Other processes do not report changes to this process, so a sender may be outdated while it is kept. */
export function keptSenders(connected: Connected): KeptSenders {
  return keepSenders({
    findWorkspace: async (id) => {
      const row = connected().database.get('SELECT plan, suspended_at FROM workspaces WHERE id = ?', id);
      return row ? senders.workspace(row) : null;
    },
    findInstance: async (id) => {
      const sql = 'SELECT id, workspace_id, network, phone_number, capabilities FROM instances WHERE id = ?';
      const row = connected().database.get(sql, id);
      return row ? senders.instance(row) : null;
    },
  });
}
