import type { Message, MessageFilter, Page, PageRequest } from '@trunkline/core/spi/storage';
import { passesFilter, readSearchPage, walkByToken } from '@trunkline/storage-kit';
import type { EntryRange, SearchWindow } from '@trunkline/storage-kit';
import type { Database } from '../database/database.ts';
import { rangeOf, rowsOf } from '../database/page.ts';
import { integer, text, word } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { readMessage } from './message-row.ts';
import { newestWindow, NUMBER, windowIn } from './search-filing.ts';

/** Lists the messages that match words: see search-index.ts of storage-kit. */
export async function searchMessages(
  database: Database,
  workspaceId: string,
  { words, ...filter }: MessageFilter & Required<Pick<MessageFilter, 'words'>>,
  page: PageRequest,
): Promise<Page<Message>> {
  const workspace = workspaceNumber(database, workspaceId);
  if (workspace === null) return { rows: [], hasOlder: false, hasNewer: false };
  const window = (sql: string, ...values: readonly (string | number)[]): SearchWindow | null => {
    const row = database.get(sql, workspace, ...values);
    return row ? windowIn(row) : null;
  };
  const entries = (range: EntryRange, order: 'ASC' | 'DESC', count: number): readonly string[] => {
    const { low, high } = rangeOfEntries(range);
    const sql = `
      SELECT id FROM search_entries
      WHERE workspace = ? AND id >= ? AND id < ? AND ${matching(words)} ORDER BY id ${order} LIMIT ?`;
    const rows = database.all(sql, workspace, low, high, ...beginnings(words), count);
    return rows.map((row) => text(row, 'id'));
  };
  return readSearchPage(page, words, {
    edges: (id) => ({
      newest: newestWindow(database, workspace),
      begin: id === null ? null : window(WINDOW_OF, id),
    }),
    walk: (tokens, walk) => {
      const windowWith = (token: string, from: number): SearchWindow | null =>
        window(walk.order === 'DESC' ? WINDOW_BEFORE : WINDOW_AFTER, token, from);
      return walkByToken({ windowWith, entries }, tokens, walk);
    },
    entries,
    messages: (ids) =>
      rowsOf(database, 'messages', ids)
        .filter((row) => isWanted(row, filter))
        .map((row) => readMessage(database, row)),
  });
}

/** Finds the messages with these ids that match the words. */
export function matchingAmong(
  database: Database,
  workspaceId: string,
  { ids, words }: { readonly ids: readonly string[]; readonly words: readonly string[] },
): readonly string[] {
  const workspace = workspaceNumber(database, workspaceId);
  const sql = `
    SELECT id FROM search_entries
    WHERE workspace = ? AND id IN (SELECT value FROM json_each(?)) AND ${matching(words)}`;
  const rows = database.all(sql, workspace, JSON.stringify(ids), ...beginnings(words));
  return rows.map((row) => text(row, 'id'));
}

function workspaceNumber(database: Database, workspaceId: string): number | null {
  const row = database.get(NUMBER, workspaceId);
  return row ? integer(row, 'number') : null;
}

function rangeOfEntries({ after, last, bound }: EntryRange): ReturnType<typeof rangeOf> {
  const within = rangeOf({}, bound);
  const above = after === null ? within : rangeOf({ floor: within.low }, { sign: '>', id: after });
  const upTo = last === null ? within : rangeOf({}, { sign: '<=', id: last });
  return { low: above.low, high: upTo.high < within.high ? upTo.high : within.high };
}

/** Words follow spaces in an entry. */
function matching(words: readonly string[]): string {
  return words.map(() => 'instr(words, ?) > 0').join(' AND ');
}

function beginnings(words: readonly string[]): readonly string[] {
  return words.map((one) => ` ${one}`);
}

function isWanted(row: Row, { instanceId, ...filter }: MessageFilter): boolean {
  return (
    (instanceId === undefined || row['instance_id'] === instanceId) &&
    passesFilter(
      { direction: word(row, 'direction'), type: word(row, 'type'), status: word(row, 'status') },
      filter,
    )
  );
}

/** Relies on search_windows_by_id. */
const WINDOW_OF = `
  SELECT * FROM search_windows WHERE workspace = ? AND last_id >= ? ORDER BY last_id LIMIT 1`;

/** Both rely on the primary key of search_tokens. */
const WINDOW_BEFORE = `
  SELECT search_windows.* FROM search_tokens CROSS JOIN search_windows ON search_windows.number = window_number
  WHERE search_tokens.workspace = ? AND token = ? AND window_number <= ?
  ORDER BY window_number DESC LIMIT 1`;
const WINDOW_AFTER = `
  SELECT search_windows.* FROM search_tokens CROSS JOIN search_windows ON search_windows.number = window_number
  WHERE search_tokens.workspace = ? AND token = ? AND window_number >= ?
  ORDER BY window_number LIMIT 1`;
