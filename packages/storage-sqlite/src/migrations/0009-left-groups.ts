/** Whether the number is in the group. One that it has left keeps its id, by which messages name it. */
export const leftGroups = `
ALTER TABLE instance_groups ADD COLUMN is_member INTEGER NOT NULL DEFAULT 1;
`;
