import type { Walked, WalkedWindow, WindowWalk } from '@trunkline/storage-kit';
import type { Statements } from '../database/statements.ts';
import { flag, idOrNull, integer } from '../rows/row.ts';
import { uuidOf } from '../rows/uuid.ts';
import { windowIn } from './search-filing.ts';
import { beginnings, LOWEST, matching } from './search-matching.ts';

interface Sought {
  readonly workspace: number;
  readonly words: readonly string[];
  readonly tokens: readonly string[];
}

/** Walks over windows of entries, and reads these, in one statement. */
export async function walkWindows(
  { all }: Statements,
  { workspace, words, tokens }: Sought,
  walk: WindowWalk,
): Promise<Walked> {
  const { from, windows, sought, bound } = walk;
  const rows = await all(
    walkSql(walk, words),
    workspace,
    tokens,
    from,
    windows,
    sought,
    ...(bound === null ? [] : [uuidOf('msg', bound.id)]),
    ...beginnings(words),
  );
  const read = new Map<number, WalkedWindow & { readonly ids: string[] }>();
  for (const row of rows) {
    if (!flag(row, 'is_read')) continue;
    const window = windowIn(row);
    const walked = read.get(window.number) ?? { window, ids: [] };
    read.set(window.number, walked);
    const id = idOrNull(row, 'entry_id', 'msg');
    if (id !== null) walked.ids.push(id);
  }
  const last = rows.at(-1);
  const isLimit = last !== undefined && flag(last, 'is_limit');
  return {
    windows: [...read.values()],
    sought: isLimit ? integer(last, 'hop') - 1 : sought,
    next: isLimit ? windowIn(last) : null,
  };
}

/**
 * Each hop looks up the nearest window of each token, from a start; relies on the primary key of search_tokens. The
 * farthest of these is a window with all tokens if it is the nearest of each token, and otherwise the next start. One
 * hop beyond a limit finds where to continue. Entries are read in the order of their primary key.
 */
function walkSql({ order, bound, count }: WindowWalk, words: readonly string[]): string {
  const [sign, farthest, step] = order === 'DESC' ? ['<=', 'min', -1] : ['>=', 'max', 1];
  const isBound = bound === null ? 'true' : `(item.workspace, item.id) ${bound.sign} ($1::integer, $6::uuid)`;
  return `
    WITH RECURSIVE walk AS (
      SELECT 0 AS hop, $3::bigint AS start, 0 AS found, NULL::bigint AS number, false AS is_read, false AS is_limit
      UNION ALL
      SELECT walk.hop + 1, near.farthest + CASE WHEN near.is_everywhere THEN ${step} ELSE 0 END,
        walk.found + near.is_everywhere::integer, near.farthest, near.is_everywhere AND NOT state.is_limit, state.is_limit
      FROM walk CROSS JOIN LATERAL (
        SELECT ${farthest}(holder.window_number) AS farthest, count(holder.window_number) = count(*) AS is_complete,
          min(holder.window_number) = max(holder.window_number) AS is_everywhere
        FROM unnest($2::text[]) AS asked (token) LEFT JOIN LATERAL (
          SELECT item.window_number FROM trunkline.search_tokens AS item
          WHERE item.workspace = $1 AND item.token = asked.token AND item.window_number ${sign} walk.start
          ORDER BY item.workspace ${order}, item.token ${order}, item.window_number ${order} LIMIT 1
        ) AS holder ON true
      ) AS near
      CROSS JOIN LATERAL (SELECT walk.found >= $4::integer OR walk.hop >= $5::integer AS is_limit) AS state
      WHERE near.is_complete AND NOT walk.is_limit
    )
    SELECT walk.hop, walk.is_limit, walk.is_read, holder.number, holder.after_id, holder.last_id, entry.id AS entry_id
    FROM walk CROSS JOIN LATERAL (
      SELECT * FROM trunkline.search_windows WHERE search_windows.number = walk.number LIMIT 1
    ) AS holder LEFT JOIN LATERAL (
      SELECT item.id FROM trunkline.search_entries AS item
      WHERE walk.is_read AND (item.workspace, item.id) > ($1::integer, coalesce(holder.after_id, '${LOWEST}'))
        AND (item.workspace, item.id) <= ($1::integer, holder.last_id) AND ${isBound}
        AND ${matching(words, bound === null ? 6 : 7)}
      ORDER BY item.workspace ${order}, item.id ${order} LIMIT ${count}
    ) AS entry ON true
    WHERE walk.is_limit OR walk.is_read
    ORDER BY walk.hop, entry.id ${order}`;
}
