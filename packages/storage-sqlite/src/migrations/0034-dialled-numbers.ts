/** Numbers that lead to a contact when they are dialled, besides the one that the network registers. */
export const dialledNumbers = `
ALTER TABLE contacts ADD COLUMN dialled_numbers TEXT NOT NULL DEFAULT '[]';

CREATE TABLE contact_numbers (
  workspace_id TEXT NOT NULL,
  number       TEXT NOT NULL,
  instance_id  TEXT NOT NULL,
  contact_id   TEXT NOT NULL,
  PRIMARY KEY (workspace_id, number, instance_id)
) STRICT, WITHOUT ROWID;
`;
