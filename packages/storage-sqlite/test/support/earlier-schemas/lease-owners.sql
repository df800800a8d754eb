CREATE TABLE lease_owners (
  owner         TEXT PRIMARY KEY,
  checked_in_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
