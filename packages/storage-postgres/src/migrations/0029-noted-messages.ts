/**
 * A statement that notes its own messages as to be filed says so (`uncontended-acceptance.ts`), and the trigger does
 * nothing: with that of migration 23, its call and the table of what was added took 5 % of an acceptance. Other statements,
 * and processes of the version before, do not say so.
 */
export const notedMessages = `
CREATE FUNCTION trunkline.note_message_to_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trunkline.unfiled_messages (message_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER messages_to_file AFTER INSERT ON trunkline.messages
  FOR EACH ROW WHEN (current_setting('trunkline_messages.are_noted', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION trunkline.note_message_to_file();
DROP FUNCTION trunkline.note_messages_to_file;
`;
