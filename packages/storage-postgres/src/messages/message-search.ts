import type { Message, MessageFilter, Page, PageRequest } from '@trunkline/core/spi/storage';
import { passesFilter, readSearchPage } from '@trunkline/storage-kit';
import type { EntryRange } from '@trunkline/storage-kit';
import type { Statements } from '../database/statements.ts';
import { id, integer } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { readMessages } from './message-row.ts';
import { newestWindow, windowIn } from './search-filing.ts';

/** Lists the messages that match words: see search-index.ts of storage-kit. */
export async function searchMessages(
  statements: Statements,
  workspaceId: string,
  { words, instanceId, ...filter }: MessageFilter & Required<Pick<MessageFilter, 'words'>>,
  page: PageRequest,
): Promise<Page<Message>> {
  const found = await statements.get(WORKSPACE, uuidToFind('ten', workspaceId));
  if (!found) return { rows: [], hasOlder: false, hasNewer: false };
  const workspace = integer(found, 'number');
  return readSearchPage(page, words, {
    newestWindow: () => newestWindow(statements, workspace),
    windowOf: async (messageId) => {
      const row = await statements.get(WINDOW_OF, workspace, uuidOf('msg', messageId));
      return row ? windowIn(row) : null;
    },
    windowsWith: async (tokens, from, order) => {
      const sql = order === 'DESC' ? WINDOWS_BEFORE : WINDOWS_AFTER;
      const rows = await statements.all(sql, workspace, tokens, from);
      return rows.map((row) => (row['number'] === null ? null : windowIn(row)));
    },
    entries: async (range, order, count) => {
      const bounds = boundsOf(range);
      const inRange = bounds.map(
        ([sign], index) => `(item.workspace, item.id) ${sign} ($1::integer, $${index + 2}::uuid)`,
      );
      const sql = `
        SELECT item.id FROM trunkline.search_entries AS item
        WHERE ${inRange.join(' AND ')} AND ${matching(words, bounds.length + 2)}
        ORDER BY item.workspace ${order}, item.id ${order} LIMIT ${count}`;
      const rows = await statements.all(
        sql,
        workspace,
        ...bounds.map(([, uuid]) => uuid),
        ...beginnings(words),
      );
      return rows.map((row) => id(row, 'id', 'msg'));
    },
    messages: async (ids) =>
      (await readMessages(statements, ids)).filter(
        (message) =>
          (instanceId === undefined || message.instanceId === instanceId) && passesFilter(message, filter),
      ),
  });
}

/** Finds the messages with these ids that match the words. */
export async function matchingAmong(
  { all }: Statements,
  workspace: string | null,
  { ids, words }: { readonly ids: readonly string[]; readonly words: readonly string[] },
): Promise<readonly string[]> {
  const sql = `
    SELECT entry.id FROM unnest($2::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (
      SELECT item.id FROM trunkline.search_entries AS item
      WHERE item.workspace = (SELECT number FROM trunkline.search_workspaces WHERE workspace_id = $1)
        AND item.id = asked.id AND ${matching(words, 3)} LIMIT 1
    ) AS entry`;
  const uuids = ids.map((one) => uuidOf('msg', one));
  return (await all(sql, workspace, uuids, ...beginnings(words))).map((row) => id(row, 'id', 'msg'));
}

type Bound = readonly [sign: '<' | '<=' | '>' | '>=', uuid: string];

function boundsOf({ after, last, bound }: EntryRange): readonly Bound[] {
  return [
    after === null ? ['>=', LOWEST] : ['>', uuidOf('msg', after)],
    ['<=', last === null ? HIGHEST : uuidOf('msg', last)],
    ...(bound === null ? [] : [[bound.sign, uuidOf('msg', bound.id)] as const]),
  ];
}

const LOWEST = '00000000-0000-0000-0000-000000000000';
const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Words follow spaces in an entry. */
function matching(words: readonly string[], firstPlace: number): string {
  return words.map((_, index) => `strpos(item.words, $${firstPlace + index}) > 0`).join(' AND ');
}

function beginnings(words: readonly string[]): readonly string[] {
  return words.map((one) => ` ${one}`);
}

const WORKSPACE = 'SELECT number FROM trunkline.search_workspaces WHERE workspace_id = $1';

/** Relies on search_windows_by_id. */
const WINDOW_OF = `
  SELECT * FROM trunkline.search_windows
  WHERE workspace = $1 AND last_id >= $2 ORDER BY workspace, last_id LIMIT 1`;

const WINDOWS_BEFORE = windowsWith('<=', 'DESC');
const WINDOWS_AFTER = windowsWith('>=', 'ASC');

/** Relies on the primary key of search_tokens. */
function windowsWith(sign: '<=' | '>=', order: 'ASC' | 'DESC'): string {
  return `
    SELECT holder.* FROM unnest($2::text[]) WITH ORDINALITY AS asked (token, place)
    LEFT JOIN LATERAL (
      SELECT item.window_number FROM trunkline.search_tokens AS item
      WHERE item.workspace = $1 AND item.token = asked.token AND item.window_number ${sign} $3
      ORDER BY item.workspace ${order}, item.token ${order}, item.window_number ${order} LIMIT 1
    ) AS nearest ON true
    LEFT JOIN LATERAL (
      SELECT * FROM trunkline.search_windows WHERE search_windows.number = nearest.window_number LIMIT 1
    ) AS holder ON true
    ORDER BY asked.place`;
}
