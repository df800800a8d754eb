import type { SpentTokenStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { encodeText } from '../rows/text-encoding.ts';

export function spentTokenStore(connected: Connected): SpentTokenStore {
  return {
    spend: async (id, until) => (await connected().run(SPEND, encodeText(id), until)) === 1,
    isSpent: async (id) => (await connected().get(IS_SPENT, encodeText(id))) !== undefined,
    deleteExpired: async (before, limit) => connected().run(DELETE_EXPIRED, before, limit),
  };
}

const SPEND = 'INSERT INTO trunkline.spent_tokens (id, kept_until) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const IS_SPENT = 'SELECT 1 FROM trunkline.spent_tokens WHERE id = $1';

/** Relies on spent_tokens_by_end. */
const DELETE_EXPIRED = `
  DELETE FROM trunkline.spent_tokens
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trunkline.spent_tokens WHERE kept_until < $1 ORDER BY kept_until LIMIT $2
  ))`;
