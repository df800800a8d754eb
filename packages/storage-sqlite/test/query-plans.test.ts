import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { callEveryMethod } from './support/every-method.ts';
import { openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Steps that may read a whole table or index, each with its reason. */
const MAY_SCAN: Readonly<Record<string, string>> = {
  'SCAN json_each VIRTUAL TABLE INDEX 1:': 'the ids of one page',
  'SCAN CONSTANT ROW': 'no table at all',
  'SCAN sqlite_schema': 'the tables themselves, when a file is opened',
  'SCAN idempotency_indexed': 'has one row',
  'SCAN claim_tokens': 'has one row',
  'SCAN lane_limits': 'has one row',
  'SCAN lanes': 'only when the limits change, which takes another version of Trunkline',
  'SCAN lease_owners': 'one for each gateway process that is running',
  'SCAN process_reports': 'one for each process that runs, or died in the last hour',
  'SCAN processes': 'one for each process that has the database open, or ended without closing it',
  'SCAN networks': 'one row for each network',
  'SCAN notices': 'one for each endpoint that fails, gone once it is sent',
  'SCAN instance_notifications': 'one for each number that is down or back, gone once it is sent',
  'SCAN claims USING COVERING INDEX claims_by_end': 'for its first row only',
  'SCAN closings USING INDEX closings_to_sweep': 'for its first row only',
  'SCAN subscriptions': 'one for each handler of the embedder’s code',
  'SCAN subscriptions USING INDEX sqlite_autoindex_subscriptions_2': 'the same, by name',
  'SCAN deleted_subscriptions': 'for its first row only',
  'SCAN (subquery-1)': 'no more rows than are counted at most',
  'SCAN (subquery-3)': 'the same',
  'SCAN (subquery-4)': 'the counts of one object in one quarter',
  'SCAN (subquery-5)': 'the same as subquery-1',
  'SCAN held_messages USING COVERING INDEX held_messages_by_position': 'for its first row only',
  'SCAN search_changes USING COVERING INDEX search_changes_by_window': 'for its first row only',
  'SCAN front': 'the first messages of a queue, up to a limit',
  'SCAN first': 'the first message to each recipient, up to a limit',
  'SCAN instance_with_queue': 'the instances that have a queue, up to the limit',
  'SCAN oldest': 'has one row',
  'SCAN deleted': 'the instances that were deleted of late, up to the limit',
  'SCAN unfiled_messages': 'what was stored in the last second, along its key, up to a limit',
  'SCAN noted': 'the same, which were read up to a limit',
  'SCAN message': 'the messages that one transaction files, up to a limit',
};

/** Statements that may sort the rows that they read: how each begins, and why it may. */
const MAY_SORT: Readonly<Record<string, string>> = {
  'INSERT INTO chats ': 'the messages that one transaction files, up to a limit',
  'INSERT OR IGNORE INTO chat_messages ': 'the same',
  'SELECT messages.*, first.tries, ': 'the first messages of a queue, up to a limit',
  'INSERT INTO instance_traffic ': 'the counts of one object in one quarter',
  'INSERT INTO webhook_traffic ': 'the same',
  'INSERT INTO workspace_traffic ': 'the same',
};

it('no statement numbers its parameters, which node:sqlite of Node.js 22.19 binds only by name', async () => {
  const { statements } = await everyStatement();
  expect(statements.filter((sql) => /\?\d/.test(sql))).toEqual([]);
});

it('no statement reads a table that grows without an index for it', async () => {
  const { statements, explain } = await everyStatement();
  const scans = statements.flatMap((sql) => {
    const sorts = Object.keys(MAY_SORT).some((begin) => sql.startsWith(begin));
    const bad = explain(sql).filter(
      (line) =>
        /SCAN|TEMP B-TREE|AUTOMATIC/.test(line) &&
        !(line in MAY_SCAN) &&
        !(sorts && line.startsWith('USE TEMP B-TREE')),
    );
    return bad.length > 0 ? [{ sql, bad }] : [];
  });
  expect(scans).toEqual([]);
});

it('pages are walked from where they begin', async () => {
  const { statements, explain } = await everyStatement();
  const walks = statements.filter((sql) =>
    /^SELECT (id|1) FROM (messages|scheduled_messages|deliveries|event_log|instance_history) .* AND id >= \? AND id < \?/.test(
      sql,
    ),
  );
  expect(walks.length).toBe(33);
  for (const sql of walks) {
    // The log of a workspace is read along its primary key.
    expect(explain(sql), sql).toEqual([
      expect.stringMatching(/(COVERING INDEX|PRIMARY KEY) .*=\? AND id>\? AND id<\?\)$/),
    ]);
  }
});

it('retrying all that failed walks along its own index, from where it begins', async () => {
  const { statements, explain } = await everyStatement();
  const walks = statements.filter((sql) => sql.includes("status IN ('failed', 'exhausted')"));
  expect(walks.length).toBe(2);
  for (const sql of walks) {
    expect(explain(sql), sql).toEqual([
      expect.stringMatching(/INDEX deliveries_to_retry \(webhook_id=\? AND last_attempt_at[>=]/),
    ]);
  }
});

it('retrying exhausted events walks along its own index, from where it begins', async () => {
  const { statements, explain } = await everyStatement();
  const walks = statements.filter((sql) => sql.includes('ORDER BY exhausted_at'));
  expect(walks.length).toBe(1);
  for (const sql of walks)
    expect(explain(sql), sql).toEqual([
      expect.stringMatching(/INDEX queued_events_exhausted \(subscription_id=\?\)/),
    ]);
});

/** The statements that are prepared when each method of a storage is called. */
async function everyStatement() {
  const path = join(temporaryDirectory(), 'test.db');
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  const uncalled = await callEveryMethod(await openStorage(path));
  expect(uncalled).toEqual([]);

  const statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))];
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const explain = (sql: string): readonly string[] =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row['detail']));
  return { statements: statements.filter((sql) => !/^(PRAGMA|BEGIN|COMMIT|ROLLBACK)/.test(sql)), explain };
}
