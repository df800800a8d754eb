/** A message is found in the queue of its instance, most often at its head: an index by message is one too many. */
export const queueByInstance = `
ALTER TABLE queue RENAME TO former_queue;
CREATE TABLE queue (
  instance_id TEXT NOT NULL,
  -- The order of acceptance, whatever the ids say.
  position    INTEGER NOT NULL,
  message_id  TEXT NOT NULL,
  tries       INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  PRIMARY KEY (instance_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO queue (instance_id, position, message_id, tries, due_at)
SELECT instance_id, position, message_id, tries, due_at FROM former_queue;
DROP TABLE former_queue;
`;
