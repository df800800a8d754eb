/**
 * Contacts, and what few messages have. The columns of messages are null where there is nothing to say, as in all rows of
 * before, none of which is written.
 */
export const contacts = `
CREATE TABLE trunkline.contacts (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  instance_id  uuid NOT NULL,
  network_id   text NOT NULL,
  aliases      text NOT NULL,
  former_ids   text NOT NULL,
  phone_number text,
  name         text,
  username     text,
  created_at   bigint NOT NULL,
  -- The contact that this one turned out to be.
  merged_into  uuid
);

CREATE TABLE trunkline.contact_network_ids (
  instance_id uuid NOT NULL,
  network_id  text NOT NULL,
  contact_id  uuid NOT NULL,
  PRIMARY KEY (instance_id, network_id)
);

ALTER TABLE trunkline.messages ADD COLUMN contact_id uuid, ADD COLUMN details text;
`;
