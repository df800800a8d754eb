/** Migration 101: the URLs of deleted endpoints, which their deliveries still show. */
export const DELETED_ENDPOINTS = `
CREATE TABLE deleted_endpoints (
  id         TEXT PRIMARY KEY,
  url        TEXT NOT NULL,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_endpoints_by_age ON deleted_endpoints (deleted_at);
`;
