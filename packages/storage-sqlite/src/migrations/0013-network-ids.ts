/**
 * Network ids are looked up in a table of their own, for messages whose network id does not lead to their id. A trigger
 * fills it, so that what a process of the version before stores is in it, too. The next migration copies the others.
 */
export const networkIds = `
ALTER TABLE messages ADD COLUMN has_readable_network_id INTEGER NOT NULL DEFAULT 0;

-- Also the guard against storing an inbound message twice.
CREATE TABLE network_ids (
  instance_id TEXT NOT NULL,
  network_id  TEXT NOT NULL,
  direction   TEXT NOT NULL,
  -- Tells repeats of inbound messages apart; empty on outbound ones.
  sender_id   TEXT NOT NULL,
  message_id  TEXT NOT NULL,
  PRIMARY KEY (instance_id, network_id, direction, sender_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER messages_add_network_id AFTER INSERT ON messages WHEN NEW.has_readable_network_id = 0
BEGIN
  INSERT INTO network_ids (instance_id, network_id, direction, sender_id, message_id)
  VALUES (NEW.instance_id, NEW.network_id, NEW.direction, NEW.sender_id, NEW.id);
END;
`;
