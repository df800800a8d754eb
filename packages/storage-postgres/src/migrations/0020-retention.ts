/** For how long a workspace keeps its messages: JSON. */
export const retention = `
ALTER TABLE trunkline.workspaces ADD COLUMN retention text;
`;
