/** Which process holds what, so that it can be released as soon as that process has provably ended. */
export const processes = `
CREATE TABLE processes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The number of the lock file that it holds until it ends.
  slot       INTEGER NOT NULL,
  machine    TEXT NOT NULL,
  namespace  TEXT NOT NULL,
  pid        INTEGER NOT NULL,
  started_at TEXT NOT NULL
) STRICT;
-- 0 is a process that is not known.
ALTER TABLE instances ADD COLUMN lease_process INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claims ADD COLUMN process INTEGER NOT NULL DEFAULT 0;
ALTER TABLE queued_events ADD COLUMN process INTEGER NOT NULL DEFAULT 0;
CREATE INDEX queued_events_claimed ON queued_events (process) WHERE process <> 0;
`;
