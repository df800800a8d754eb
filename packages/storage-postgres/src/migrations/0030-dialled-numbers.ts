/** Numbers that lead to a contact when they are dialled, besides the one that the network registers. */
export const dialledNumbers = `
ALTER TABLE trunkline.contacts ADD COLUMN dialled_numbers text NOT NULL DEFAULT '[]';

CREATE TABLE trunkline.contact_numbers (
  workspace_id uuid NOT NULL,
  number       text NOT NULL,
  instance_id  uuid NOT NULL,
  contact_id   uuid NOT NULL,
  PRIMARY KEY (workspace_id, number, instance_id)
);
`;
