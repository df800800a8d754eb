/** Whether the number is in the group. One that it has left keeps its id, by which messages name it. */
export const leftGroups = `
ALTER TABLE trunkline.instance_groups ADD COLUMN is_member boolean NOT NULL DEFAULT true;
`;
