import { searchWords } from '@trunkline/core/spi/storage';
import type { SearchedTexts } from '@trunkline/core/spi/storage';
import { changedTokens, SEARCH_WINDOW, storedWords, tokensOf, windowsOf } from '@trunkline/storage-kit';
import type { SearchWindow } from '@trunkline/storage-kit';
import type { Connection } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { integer, text, textOrNull, word } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/**
 * Adds entries of the first `limit` messages that are not filed, in the open transaction, and makes windows of entries.
 */
export function addEntries(database: Database, limit: number): void {
  const found = new Map<string, Added>();
  for (const row of database.all(TO_FILE, limit)) {
    const words = searchWords(textsIn(row));
    if (words.length === 0) continue;
    const [id, workspaceId] = [text(row, 'id'), text(row, 'workspace_id')];
    const own = found.get(workspaceId) ?? begin(database, workspaceId);
    found.set(workspaceId, own);
    own.count += 1;
    database.run(ADD_ENTRY, own.workspace, id, storedWords(words));
    // A message that comes late, or is filed again, may have its place in a window.
    if (own.newest !== null && id <= own.newest.last)
      database.run(NOTE_CHANGE, storedWords(words), own.workspace, id);
  }
  for (const { workspace, count, newest } of found.values()) {
    const row = database.get(COUNT_ADDED, count, workspace);
    if (row && integer(row, 'added') >= SEARCH_WINDOW) makeWindows(database, workspace, newest);
  }
}

/** The entries that are added for one workspace. */
interface Added {
  readonly workspace: number;
  readonly newest: SearchWindow | null;
  count: number;
}

function begin(database: Database, workspaceId: string): Added {
  const workspace = numberOf(database, workspaceId);
  return { workspace, newest: newestWindow(database, workspace), count: 0 };
}

function textsIn(row: Row): SearchedTexts {
  return {
    direction: word(row, 'direction'),
    from: textOrNull(row, 'sender'),
    to: textOrNull(row, 'recipient'),
    text: textOrNull(row, 'text'),
    caption: textOrNull(row, 'caption'),
    filename: textOrNull(row, 'filename'),
    contact: { name: textOrNull(row, 'name'), phoneNumber: textOrNull(row, 'phone_number') },
    groupName: textOrNull(row, 'group_name'),
  };
}

function numberOf(database: Database, workspaceId: string): number {
  const row = database.get(NUMBER, workspaceId) ?? database.get(ADD_WORKSPACE, workspaceId);
  if (!row) throw new Error(`${workspaceId} got no number. This is a defect: please report it.`);
  return integer(row, 'number');
}

function makeWindows(database: Database, workspace: number, newest: SearchWindow | null): void {
  const rows = database.all(ENTRY_IDS, workspace, newest?.last ?? '');
  const ids = rows.map((row) => text(row, 'id'));
  const windows = windowsOf(ids, newest?.last ?? null);
  for (const window of windows) {
    const number = database.insert('search_windows', {
      workspace,
      after_id: window.after,
      last_id: window.last,
    });
    addTokens(database, { workspace, number }, tokensOf(wordsIn(database, workspace, window)));
  }
  database.run(SET_ADDED, ids.length - windows.length * SEARCH_WINDOW, workspace);
}

function addTokens(
  database: Database,
  { workspace, number }: { readonly workspace: number; readonly number: number },
  tokens: readonly string[],
): void {
  database.run(ADD_TOKENS, workspace, number, JSON.stringify(tokens));
}

/**
 * Changes the tokens of windows whose entries have changed, until at least `limit` of these entries are done. Each
 * window has its own operation, so that other work gets its turn in between. Returns the number of entries.
 */
export async function settleWindows(
  { database, write }: Pick<Connection, 'database' | 'write'>,
  limit: number,
): Promise<number> {
  let settled = 0;
  while (settled < limit && database.get(FIRST_CHANGE)) settled += await write(() => settleWindow(database));
  return settled;
}

/** Deletes the window if it has no entries. Returns how many of its entries had changed. */
function settleWindow(database: Database): number {
  const first = database.get(FIRST_CHANGE);
  if (!first) return 0;
  const number = integer(first, 'window_number');
  const changed = database.all(CHANGES, number).map((row) => text(row, 'words'));
  database.run('DELETE FROM search_changes WHERE window_number = ?', number);
  const row = database.get('SELECT * FROM search_windows WHERE number = ?', number);
  if (!row) return changed.length;
  const [workspace, window] = [integer(row, 'workspace'), windowIn(row)];
  const present = wordsIn(database, workspace, window);
  const { added, removed } = changedTokens(changed, present);
  for (const token of removed) database.run(DELETE_TOKEN, workspace, token, number);
  addTokens(database, { workspace, number }, added);
  if (present.length === 0) {
    database.run('DELETE FROM search_windows WHERE number = ?', number);
    database.run(EXTEND_NEXT, window.after, workspace, window.last);
  }
  return changed.length;
}

export function newestWindow(database: Database, workspace: number): SearchWindow | null {
  const row = database.get(NEWEST, workspace);
  return row ? windowIn(row) : null;
}

export function windowIn(row: Row): SearchWindow {
  return {
    number: integer(row, 'number'),
    after: textOrNull(row, 'after_id'),
    last: text(row, 'last_id'),
  };
}

function wordsIn(
  database: Database,
  workspace: number,
  { after, last }: Pick<SearchWindow, 'after' | 'last'>,
): readonly string[] {
  return database.all(ENTRY_WORDS, workspace, after ?? '', last).map((row) => text(row, 'words'));
}

const TO_FILE = `
  SELECT messages.id, messages.workspace_id, direction, sender, recipient, text, caption,
    json_extract(media, '$.filename') AS filename, contact.name, contact.phone_number,
    (
      SELECT name FROM instance_groups
      WHERE instance_groups.id = messages.group_id AND instance_groups.instance_id = messages.instance_id
    ) AS group_name
  FROM (SELECT message_id FROM unfiled_messages ORDER BY message_id LIMIT ?) AS noted
  CROSS JOIN messages ON messages.id = noted.message_id
  LEFT JOIN message_details ON message_details.message_id = messages.id
  LEFT JOIN contacts AS given ON given.id = message_details.contact_id
  LEFT JOIN contacts AS contact ON contact.id = coalesce(given.merged_into, given.id)`;

export const NUMBER = 'SELECT number FROM search_workspaces WHERE workspace_id = ?';
const ADD_WORKSPACE = 'INSERT INTO search_workspaces (workspace_id, added) VALUES (?, 0) RETURNING number';
const ADD_ENTRY = 'INSERT OR IGNORE INTO search_entries (workspace, id, words) VALUES (?, ?, ?)';
const COUNT_ADDED = 'UPDATE search_workspaces SET added = added + ? WHERE number = ? RETURNING added';
const SET_ADDED = 'UPDATE search_workspaces SET added = ? WHERE number = ?';
const ENTRY_IDS = 'SELECT id FROM search_entries WHERE workspace = ? AND id > ? ORDER BY id';
const ENTRY_WORDS = 'SELECT words FROM search_entries WHERE workspace = ? AND id > ? AND id <= ?';
const ADD_TOKENS = `
  INSERT OR IGNORE INTO search_tokens (workspace, token, window_number) SELECT ?, value, ? FROM json_each(?)`;
/** Relies on search_windows_by_id, as the trigger on search_entries does. */
const NOTE_CHANGE = `
  INSERT INTO search_changes (window_number, words)
  SELECT number, ? FROM (
    SELECT number FROM search_windows WHERE workspace = ? AND last_id >= ? ORDER BY last_id LIMIT 1
  )`;
const DELETE_TOKEN = 'DELETE FROM search_tokens WHERE workspace = ? AND token = ? AND window_number = ?';
/** Relies on search_windows_by_id: the numbers of a workspace's windows have the order of their ids. */
const NEWEST = 'SELECT * FROM search_windows WHERE workspace = ? ORDER BY last_id DESC LIMIT 1';
const EXTEND_NEXT = `
  UPDATE search_windows SET after_id = ? WHERE number = (
    SELECT number FROM search_windows WHERE workspace = ? AND last_id > ? ORDER BY last_id LIMIT 1
  )`;
const FIRST_CHANGE = 'SELECT window_number FROM search_changes ORDER BY window_number LIMIT 1';
const CHANGES = 'SELECT words FROM search_changes WHERE window_number = ?';
