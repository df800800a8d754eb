/**
 * Messages by chat. The transaction that stores a message only notes that it is to be filed (`chat-filing.ts`). Triggers
 * do so, so that what a process of the version before stores is filed, too.
 */
export const chats = `
CREATE TABLE trunkline.chats (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace_id    uuid NOT NULL,
  instance_id     uuid NOT NULL,
  -- What its messages are filed under; see chat-key.ts.
  key             text COLLATE "C" NOT NULL,
  last_message_id uuid NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE UNIQUE INDEX chats_by_key ON trunkline.chats (workspace_id, key, instance_id);
CREATE INDEX chats_by_last_message ON trunkline.chats (instance_id, last_message_id);

CREATE TABLE trunkline.chat_messages (
  chat_id bigint NOT NULL,
  -- Of the message.
  id      uuid NOT NULL,
  PRIMARY KEY (chat_id, id)
);

-- The person who has a number.
CREATE INDEX contacts_by_number ON trunkline.contacts (workspace_id, phone_number)
  WHERE phone_number IS NOT NULL AND merged_into IS NULL;

CREATE TABLE trunkline.unfiled_messages (
  message_id uuid PRIMARY KEY
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

CREATE FUNCTION trunkline.note_messages_to_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trunkline.unfiled_messages (message_id) SELECT id FROM added;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_to_file AFTER INSERT ON trunkline.messages
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION trunkline.note_messages_to_file();

CREATE FUNCTION trunkline.message_key(message trunkline.messages) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN message.group_id IS NOT NULL THEN 'g' || message.group_id
    WHEN message.contact_id IS NOT NULL THEN 'c' || message.contact_id
    WHEN message.direction = 'inbound' THEN 'n' || message.sender
    ELSE 'n' || message.recipient
  END
$$;

-- Keeps filing out until its transaction ends, so that nothing is filed that was just deleted.
CREATE FUNCTION trunkline.take_message_from_chat() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1667788148, (SELECT tableoid::integer FROM trunkline.schema_versions LIMIT 1));
  DELETE FROM trunkline.unfiled_messages WHERE message_id = OLD.id;
  DELETE FROM trunkline.chat_messages USING trunkline.chats
  WHERE chat_messages.chat_id = chats.id AND chat_messages.id = OLD.id AND chats.workspace_id = OLD.workspace_id
    AND chats.instance_id = OLD.instance_id AND chats.key = trunkline.message_key(OLD);
  DELETE FROM trunkline.chats
  WHERE workspace_id = OLD.workspace_id AND instance_id = OLD.instance_id AND key = trunkline.message_key(OLD)
    AND NOT EXISTS (SELECT 1 FROM trunkline.chat_messages WHERE chat_id = chats.id);
  UPDATE trunkline.chats
  SET last_message_id = (
    SELECT chat_messages.id FROM trunkline.chat_messages WHERE chat_id = chats.id ORDER BY chat_messages.id DESC LIMIT 1
  )
  WHERE workspace_id = OLD.workspace_id AND instance_id = OLD.instance_id AND key = trunkline.message_key(OLD)
    AND last_message_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_leave_chat AFTER DELETE ON trunkline.messages
  FOR EACH ROW EXECUTE FUNCTION trunkline.take_message_from_chat();

-- Messages from before this migration are filed in the background, the newest first: those with smaller ids are left. No
-- row once all are filed.
CREATE TABLE trunkline.older_messages_to_file (
  before_id uuid NOT NULL
);
INSERT INTO trunkline.older_messages_to_file (before_id)
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff' WHERE EXISTS (SELECT 1 FROM trunkline.messages);
`;
