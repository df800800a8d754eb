/**
 * Queued messages that the network does not take for now, and those to the same recipients that wait for them: out of
 * the way of the others in `queued_messages`. Empty as a rule. Counted in the length of their queue, whose lock is held
 * by whoever puts something here or takes it away.
 */
export const heldMessages = `
CREATE TABLE trunkline.held_messages (
  message_id  uuid PRIMARY KEY,
  instance_id uuid NOT NULL,
  -- As in queued_messages, where it goes back to if it only waits.
  position    bigint NOT NULL,
  recipient   text NOT NULL,
  tries       integer NOT NULL,
  due_at      bigint NOT NULL,
  -- Null for those that only wait.
  held_since  bigint
);
CREATE INDEX held_messages_by_recipient ON trunkline.held_messages (instance_id, recipient, held_since);
CREATE INDEX held_messages_due ON trunkline.held_messages (instance_id, due_at, position) WHERE held_since IS NOT NULL;
`;
