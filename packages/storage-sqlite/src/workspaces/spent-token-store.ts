import type { SpentTokenStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';

export function spentTokenStore(connected: Connected): SpentTokenStore {
  return {
    spend: async (id, until) => {
      const { database, write } = connected();
      return write(() => database.run(SPEND, id, until) === 1);
    },
    isSpent: async (id) => connected().database.get(IS_SPENT, id) !== undefined,
    deleteExpired: async (before, limit) => {
      const { database, write } = connected();
      return write(() => database.run(DELETE_EXPIRED, before, limit));
    },
  };
}

const SPEND = 'INSERT OR IGNORE INTO spent_tokens (id, kept_until) VALUES (?, ?)';

const IS_SPENT = 'SELECT 1 FROM spent_tokens WHERE id = ?';

/** Relies on spent_tokens_by_end. */
const DELETE_EXPIRED = `
  DELETE FROM spent_tokens WHERE id IN (
    SELECT id FROM spent_tokens WHERE kept_until < ? ORDER BY kept_until LIMIT ?
  )`;
