import { searchWords } from '@trunkline/core/spi/storage';
import type { MessageMedia } from '@trunkline/core/spi/storage';
import { changedTokens, SEARCH_WINDOW, storedWords, tokensOf, windowsOf } from '@trunkline/storage-kit';
import type { SearchWindow } from '@trunkline/storage-kit';
import type { Statements } from '../database/statements.ts';
import { id, idOrNull, integer, json, text, textOrNull, word } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { NIL, uuidOf } from '../rows/uuid.ts';

interface Entry {
  readonly workspaceId: string;
  readonly uuid: string;
  readonly words: string;
}

/**
 * Adds entries of at most `limit` messages that are not filed yet, and makes windows of them. Returns the uuids of these
 * messages. No other process may file concurrently.
 */
export async function addEntries(statements: Statements, limit: number): Promise<readonly string[]> {
  const rows = await statements.all(TO_FILE, limit);
  const entries = rows.flatMap((row) => entryOf(row) ?? []);
  const numbers = await countAdded(statements, entries);
  await statements.run(
    ADD_ENTRIES,
    entries.map((entry) => numbers.get(entry.workspaceId)?.number ?? 0),
    entries.map((entry) => entry.uuid),
    entries.map((entry) => entry.words),
  );
  for (const { number, added } of numbers.values()) {
    if (added >= SEARCH_WINDOW) await makeWindows(statements, number);
  }
  return rows.map((row) => String(row['message_id']));
}

function entryOf(row: Row): Entry | null {
  if (row['id'] === null) return null;
  const words = searchWords({
    direction: word(row, 'direction'),
    from: textOrNull(row, 'sender'),
    to: textOrNull(row, 'recipient'),
    text: textOrNull(row, 'text'),
    caption: textOrNull(row, 'caption'),
    filename: row['media'] === null ? null : json<Pick<MessageMedia, 'filename'>>(row, 'media').filename,
    contact: { name: textOrNull(row, 'name'), phoneNumber: textOrNull(row, 'phone_number') },
    groupName: textOrNull(row, 'group_name'),
  });
  if (words.length === 0) return null;
  return {
    workspaceId: id(row, 'workspace_id', 'ten'),
    uuid: uuidOf('msg', id(row, 'id', 'msg')),
    words: storedWords(words),
  };
}

interface Counted {
  readonly number: number;
  readonly added: number;
}

/** Counts new entries by workspace. Returns the number of each workspace, with how many were added since a window. */
async function countAdded(
  { all }: Statements,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, Counted>> {
  const counts = new Map<string, number>();
  for (const { workspaceId } of entries) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  const write = async (sql: string, ids: readonly string[]): Promise<readonly Row[]> =>
    ids.length === 0
      ? []
      : all(
          sql,
          ids.map((one) => uuidOf('ten', one)),
          ids.map((one) => counts.get(one) ?? 0),
        );
  const known = await write(COUNT_ADDED, [...counts.keys()]);
  const found = new Set(known.map((row) => id(row, 'workspace_id', 'ten')));
  const added = await write(
    ADD_WORKSPACES,
    [...counts.keys()].filter((one) => !found.has(one)),
  );
  return new Map(
    [...known, ...added].map((row) => [
      id(row, 'workspace_id', 'ten'),
      { number: integer(row, 'number'), added: integer(row, 'added') },
    ]),
  );
}

async function makeWindows(statements: Statements, workspace: number): Promise<void> {
  const newest = await newestWindow(statements, workspace);
  const after = newest === null ? NIL : uuidOf('msg', newest.last);
  const ids = (await statements.all(ENTRY_IDS, workspace, after)).map((row) => id(row, 'id', 'msg'));
  const windows = windowsOf(ids, newest?.last ?? null);
  for (const window of windows) {
    const row = await statements.get(
      ADD_WINDOW,
      workspace,
      window.after === null ? null : uuidOf('msg', window.after),
      uuidOf('msg', window.last),
    );
    if (row) {
      const tokens = tokensOf(await wordsIn(statements, workspace, window));
      await statements.run(ADD_TOKENS, workspace, tokens, integer(row, 'number'));
    }
  }
  await statements.run(SET_ADDED, workspace, ids.length - windows.length * SEARCH_WINDOW);
}

/**
 * Changes the tokens of windows whose entries have changed, until at least `limit` of these entries are done. Returns
 * their number. No other process may file concurrently.
 */
export async function settleWindows(statements: Statements, limit: number): Promise<number> {
  let settled = 0;
  while (settled < limit) {
    const first = await statements.get(FIRST_CHANGE);
    if (!first) break;
    settled += await settleWindow(statements, integer(first, 'window_number'));
  }
  return settled;
}

/** Deletes the window if it has no entries. Returns how many of its entries had changed. */
async function settleWindow(statements: Statements, number: number): Promise<number> {
  const changed = (await statements.all(TAKE_CHANGES, number)).map((row) => text(row, 'words'));
  const row = await statements.get('SELECT * FROM trunkline.search_windows WHERE number = $1', number);
  if (!row) return changed.length;
  const [workspace, window] = [integer(row, 'workspace'), windowIn(row)];
  const present = await wordsIn(statements, workspace, window);
  const { added, removed } = changedTokens(changed, present);
  await statements.run(DELETE_TOKENS, workspace, removed, number);
  await statements.run(ADD_TOKENS, workspace, added, number);
  if (present.length === 0) {
    await statements.run('DELETE FROM trunkline.search_windows WHERE number = $1', number);
    const [after, last] = [window.after, window.last].map((one) => one && uuidOf('msg', one));
    await statements.run(EXTEND_NEXT, workspace, last ?? null, after ?? null);
  }
  return changed.length;
}

async function newestWindow({ get }: Statements, workspace: number): Promise<SearchWindow | null> {
  const row = await get(NEWEST, workspace);
  return row ? windowIn(row) : null;
}

export function windowIn(row: Row): SearchWindow {
  return {
    number: integer(row, 'number'),
    after: idOrNull(row, 'after_id', 'msg'),
    last: id(row, 'last_id', 'msg'),
  };
}

async function wordsIn(
  { all }: Statements,
  workspace: number,
  { after, last }: Pick<SearchWindow, 'after' | 'last'>,
): Promise<readonly string[]> {
  const rows = await all(
    ENTRY_WORDS,
    workspace,
    after === null ? NIL : uuidOf('msg', after),
    uuidOf('msg', last),
  );
  return rows.map((row) => text(row, 'words'));
}

const TO_FILE = `
  SELECT noted.message_id, item.*
  FROM (SELECT message_id FROM trunkline.unfiled_messages ORDER BY message_id LIMIT $1) AS noted
  LEFT JOIN LATERAL (
    SELECT item.id, item.workspace_id, item.direction, item.sender, item.recipient, item.text, item.caption, item.media,
      contact.name, contact.phone_number, (
        SELECT name FROM trunkline.instance_groups
        WHERE instance_groups.id = item.group_id AND instance_groups.instance_id = item.instance_id
      ) AS group_name
    FROM trunkline.messages AS item
    LEFT JOIN trunkline.contacts AS given ON given.id = item.contact_id
    LEFT JOIN trunkline.contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)
    WHERE item.id = noted.message_id LIMIT 1
  ) AS item ON true
  ORDER BY noted.message_id`;

const COUNT_ADDED = `
  UPDATE trunkline.search_workspaces AS counted SET added = counted.added + new.added
  FROM unnest($1::uuid[], $2::bigint[]) AS new (workspace_id, added)
  WHERE counted.workspace_id = new.workspace_id
  RETURNING counted.number, counted.workspace_id, counted.added`;
const ADD_WORKSPACES = `
  INSERT INTO trunkline.search_workspaces (workspace_id, added)
  SELECT new.workspace_id, new.added FROM unnest($1::uuid[], $2::bigint[]) AS new (workspace_id, added)
  RETURNING number, workspace_id, added`;
const SET_ADDED = 'UPDATE trunkline.search_workspaces SET added = $2 WHERE number = $1';

/** Messages that come late may have their place in a window. */
const ADD_ENTRIES = `
  WITH entry AS (
    INSERT INTO trunkline.search_entries (workspace, id, words)
    SELECT * FROM unnest($1::integer[], $2::uuid[], $3::text[])
    ON CONFLICT (workspace, id) DO UPDATE SET words = excluded.words
    RETURNING workspace, id, words
  )
  INSERT INTO trunkline.search_changes (window_number, words)
  SELECT holder.number, entry.words FROM entry CROSS JOIN LATERAL (
    SELECT number FROM trunkline.search_windows
    WHERE workspace = entry.workspace AND last_id >= entry.id ORDER BY workspace, last_id LIMIT 1
  ) AS holder`;

const ENTRY_IDS = `
  SELECT id FROM trunkline.search_entries WHERE workspace = $1 AND id > $2::uuid ORDER BY workspace, id`;
const ENTRY_WORDS = `
  SELECT words FROM trunkline.search_entries
  WHERE workspace = $1 AND id > $2::uuid AND id <= $3::uuid ORDER BY workspace, id`;

const ADD_WINDOW = `
  INSERT INTO trunkline.search_windows (workspace, after_id, last_id) VALUES ($1, $2, $3) RETURNING number`;
const ADD_TOKENS = `
  INSERT INTO trunkline.search_tokens (workspace, token, window_number)
  SELECT $1::integer, token, $3::bigint FROM unnest($2::text[]) AS token
  ON CONFLICT DO NOTHING`;
const DELETE_TOKENS = `
  DELETE FROM trunkline.search_tokens
  WHERE workspace = $1 AND token = ANY ($2::text[]) AND window_number = $3`;

/** Relies on search_windows_by_id: the numbers of a workspace's windows have the order of their ids. */
const NEWEST = `
  SELECT * FROM trunkline.search_windows WHERE workspace = $1 ORDER BY workspace DESC, last_id DESC LIMIT 1`;
const EXTEND_NEXT = `
  UPDATE trunkline.search_windows SET after_id = $3::uuid WHERE number = (
    SELECT number FROM trunkline.search_windows
    WHERE workspace = $1 AND last_id > $2::uuid ORDER BY workspace, last_id LIMIT 1
  )`;

const FIRST_CHANGE = `
  SELECT window_number FROM trunkline.search_changes ORDER BY window_number LIMIT 1`;
const TAKE_CHANGES = 'DELETE FROM trunkline.search_changes WHERE window_number = $1 RETURNING words';
