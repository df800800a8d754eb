import type { Message, MessageFilter, Page, PageRequest } from '@trunkline/core/spi/storage';
import { passesFilter, readSearchPage } from '@trunkline/storage-kit';
import type { EntryRange, SearchWindow } from '@trunkline/storage-kit';
import type { Statements } from '../database/statements.ts';
import { id, integer } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';
import { readMessages } from './message-row.ts';
import { windowIn } from './search-filing.ts';
import { beginnings, HIGHEST, LOWEST, matching } from './search-matching.ts';
import { walkWindows } from './search-walk.ts';

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
    edges: async (messageId) => {
      const rows = await statements.all(EDGES, workspace, messageId && uuidOf('msg', messageId));
      const edge = (name: string): SearchWindow | null => {
        const row = rows.find((one) => one['edge'] === name);
        return row ? windowIn(row) : null;
      };
      return { newest: edge('newest'), begin: edge('begin') };
    },
    walk: (tokens, walk) => walkWindows(statements, { workspace, words, tokens }, walk),
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

const WORKSPACE = 'SELECT number FROM trunkline.search_workspaces WHERE workspace_id = $1';

/** Both parts rely on search_windows_by_id. */
const EDGES = `
  (SELECT 'newest' AS edge, item.* FROM trunkline.search_windows AS item
   WHERE workspace = $1 ORDER BY workspace DESC, last_id DESC LIMIT 1)
  UNION ALL
  (SELECT 'begin', item.* FROM trunkline.search_windows AS item
   WHERE workspace = $1 AND last_id >= $2 ORDER BY workspace, last_id LIMIT 1)`;
