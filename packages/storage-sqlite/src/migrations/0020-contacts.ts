/**
 * Contacts, and what few messages have. That is in a table of its own: ADD COLUMN would read all messages under the
 * lock, and a message that has none of it takes no statement more.
 */
export const contacts = `
CREATE TABLE contacts (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  instance_id  TEXT NOT NULL,
  network_id   TEXT NOT NULL,
  aliases      TEXT NOT NULL,
  former_ids   TEXT NOT NULL,
  phone_number TEXT,
  name         TEXT,
  username     TEXT,
  created_at   INTEGER NOT NULL,
  -- The contact that this one turned out to be.
  merged_into  TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE contact_network_ids (
  instance_id TEXT NOT NULL,
  network_id  TEXT NOT NULL,
  contact_id  TEXT NOT NULL,
  PRIMARY KEY (instance_id, network_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_details (
  message_id TEXT PRIMARY KEY,
  contact_id TEXT,
  details    TEXT
) STRICT, WITHOUT ROWID;
`;
