/** Files of inbound messages that the network has not delivered yet. */
export const pendingDownloads = `
CREATE TABLE pending_downloads (
  instance_id      TEXT NOT NULL,
  message_id       TEXT NOT NULL,
  workspace_id     TEXT NOT NULL,
  sealed_reference BLOB NOT NULL,
  tries            INTEGER NOT NULL,
  due_at           INTEGER NOT NULL,
  expires_at       INTEGER NOT NULL,
  PRIMARY KEY (instance_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_downloads_due ON pending_downloads (instance_id, due_at, message_id);
CREATE INDEX pending_downloads_expiring ON pending_downloads (expires_at, message_id);
`;
