/** Files of inbound messages that the network has not delivered yet. */
export const pendingDownloads = `
CREATE TABLE trunkline.pending_downloads (
  instance_id      uuid NOT NULL,
  message_id       uuid NOT NULL,
  workspace_id     uuid NOT NULL,
  sealed_reference bytea NOT NULL,
  tries            integer NOT NULL,
  due_at           bigint NOT NULL,
  expires_at       bigint NOT NULL,
  PRIMARY KEY (instance_id, message_id)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX pending_downloads_due ON trunkline.pending_downloads (instance_id, due_at, message_id);
CREATE INDEX pending_downloads_expiring ON trunkline.pending_downloads (expires_at, message_id);
`;
