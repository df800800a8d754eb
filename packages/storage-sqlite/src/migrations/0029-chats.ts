/**
 * Messages by chat. The transaction that stores a message only notes that it is to be filed (`chat-filing.ts`). Triggers
 * do so, so that what a process of the version before stores is filed, too.
 */
export const chats = `
CREATE TABLE chats (
  id              INTEGER PRIMARY KEY,
  workspace_id    TEXT NOT NULL,
  instance_id     TEXT NOT NULL,
  -- What its messages are filed under: the id of a group or of a contact, or the digits of a number.
  key             TEXT NOT NULL,
  last_message_id TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX chats_by_key ON chats (workspace_id, key, instance_id);
CREATE INDEX chats_by_last_message ON chats (instance_id, last_message_id);

CREATE TABLE chat_messages (
  chat_id INTEGER NOT NULL,
  -- Of the message.
  id      TEXT NOT NULL,
  PRIMARY KEY (chat_id, id)
) STRICT, WITHOUT ROWID;

-- The person who has a number.
CREATE INDEX contacts_by_number ON contacts (workspace_id, phone_number)
  WHERE phone_number IS NOT NULL AND merged_into IS NULL;

CREATE TABLE unfiled_messages (
  message_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TRIGGER messages_to_file AFTER INSERT ON messages
BEGIN
  INSERT INTO unfiled_messages (message_id) VALUES (NEW.id);
END;

-- Expects the details of the message to be deleted after it.
CREATE TRIGGER messages_leave_chat BEFORE DELETE ON messages
BEGIN
  DELETE FROM unfiled_messages WHERE message_id = OLD.id;
  DELETE FROM chat_messages
  WHERE id = OLD.id AND chat_id IN (
    SELECT chats.id FROM chats
    WHERE workspace_id = OLD.workspace_id AND instance_id = OLD.instance_id AND key = coalesce(
      OLD.group_id,
      (SELECT contact_id FROM message_details WHERE message_id = OLD.id),
      CASE OLD.direction WHEN 'inbound' THEN OLD.sender ELSE OLD.recipient END
    )
  );
  UPDATE chats
  SET last_message_id = coalesce((SELECT max(id) FROM chat_messages WHERE chat_id = chats.id), '')
  WHERE instance_id = OLD.instance_id AND last_message_id = OLD.id;
  DELETE FROM chats WHERE instance_id = OLD.instance_id AND last_message_id = '';
END;

-- Messages from before this migration are filed in the background, the newest first: those with smaller ids are left. No row
-- once all are filed.
CREATE TABLE older_messages_to_file (
  before_id TEXT NOT NULL
) STRICT;
INSERT INTO older_messages_to_file (before_id)
SELECT 'msg_7zzzzzzzzzzzzzzzzzzzzzzzzz' WHERE EXISTS (SELECT 1 FROM messages);
`;
