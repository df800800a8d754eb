/**
 * The log of events: by it those of a workspace, an instance or a message are found. Beside `events`, whose partitions
 * would each be locked for as long as it takes to make their indexes. Earlier events are not in it.
 */
export const eventLog = `
CREATE TABLE trunkline.event_log (
  workspace_id uuid NOT NULL,
  id           uuid NOT NULL,
  type         text COLLATE "C" NOT NULL,
  instance_id  uuid,
  message_id   uuid,
  PRIMARY KEY (workspace_id, id)
) PARTITION BY RANGE (id);
-- No two indexes for lists begin with the same column: see page.ts.
CREATE INDEX event_log_by_instance ON trunkline.event_log (instance_id, type, workspace_id, id);
CREATE INDEX event_log_by_message ON trunkline.event_log (message_id, workspace_id, id);
CREATE TABLE trunkline.event_log_default PARTITION OF trunkline.event_log DEFAULT;
-- For retention, which drops other partitions whole.
CREATE INDEX event_log_default_by_id ON trunkline.event_log_default (id);
`;
