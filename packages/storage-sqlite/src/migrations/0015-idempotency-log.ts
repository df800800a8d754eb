/**
 * Records for processes of the version before, in the form that they know: at most one of a key. The version after needs
 * it no more.
 */
export function idempotencyView(tables: readonly string[]): string {
  const deletedFrom = (condition: string): string =>
    tables.map((table) => `DELETE FROM ${table} WHERE ${condition};`).join('\n  ');
  return `
CREATE VIEW idempotency_records AS ${tables.map((table) => `SELECT ${COLUMNS} FROM ${table}`).join(' UNION ALL ')};
CREATE TRIGGER idempotency_records_insert INSTEAD OF INSERT ON idempotency_records
BEGIN
  ${deletedFrom('workspace_id = NEW.workspace_id AND key = NEW.key')}
  INSERT INTO idempotency_log (workspace_id, key, fingerprint, message_id, created_at)
  VALUES (NEW.workspace_id, NEW.key, NEW.fingerprint, NEW.message_id, NEW.created_at);
END;
CREATE TRIGGER idempotency_records_delete INSTEAD OF DELETE ON idempotency_records
BEGIN
  ${deletedFrom('workspace_id = OLD.workspace_id AND key = OLD.key AND created_at = OLD.created_at')}
END;
`;
}

const COLUMNS = 'workspace_id, key, fingerprint, message_id, created_at';

/**
 * Idempotency records are appended to a log, whose index is written later. The next migration moves the records of
 * before to it.
 */
export const idempotencyLog: string = `
CREATE TABLE idempotency_log (
  -- Never given twice: what was read up to is known by it.
  position     INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL,
  key          TEXT NOT NULL,
  fingerprint  TEXT NOT NULL,
  message_id   TEXT NOT NULL,
  created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_log_by_age ON idempotency_log (created_at);

-- See idempotency-log.ts. An entry may outlive its record.
CREATE TABLE idempotency_index (
  hash     INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (hash, position)
) STRICT, WITHOUT ROWID;
-- The index has every record up to this position.
CREATE TABLE idempotency_indexed (
  up_to INTEGER NOT NULL
) STRICT;
INSERT INTO idempotency_indexed (up_to) VALUES (0);

ALTER TABLE idempotency_records RENAME TO former_idempotency_records;
${idempotencyView(['idempotency_log', 'former_idempotency_records'])}
`;
