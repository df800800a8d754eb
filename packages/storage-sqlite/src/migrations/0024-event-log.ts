/**
 * The log of events: by it those of a workspace, an instance or a message are found. Beside `events`, to which a column
 * cannot be added without reading all of it. Earlier events are not in it.
 */
export const eventLog = `
CREATE TABLE event_log (
  workspace_id TEXT NOT NULL,
  id           TEXT NOT NULL,
  type         TEXT NOT NULL,
  instance_id  TEXT,
  message_id   TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_log_by_instance ON event_log (instance_id, type, workspace_id, id) WHERE instance_id IS NOT NULL;
CREATE INDEX event_log_by_message ON event_log (message_id, workspace_id, id) WHERE message_id IS NOT NULL;
`;
