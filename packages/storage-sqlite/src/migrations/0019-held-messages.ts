/**
 * Queued messages that the network does not take for now, and those to the same recipients that wait for them: out of
 * the way of the others in `queue`. Empty as a rule.
 */
export const heldMessages = `
CREATE TABLE held_messages (
  message_id  TEXT PRIMARY KEY,
  instance_id TEXT NOT NULL,
  -- As in \`queue\`, where it goes back to if it only waits.
  position    INTEGER NOT NULL,
  recipient   TEXT NOT NULL,
  tries       INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  -- Null for those that only wait.
  held_since  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX held_messages_by_position ON held_messages (instance_id, position);
CREATE INDEX held_messages_by_recipient ON held_messages (instance_id, recipient, held_since);
CREATE INDEX held_messages_due ON held_messages (instance_id, due_at, position) WHERE held_since IS NOT NULL;
`;
