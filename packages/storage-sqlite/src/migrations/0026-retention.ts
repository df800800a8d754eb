/** In a database that has rows which earlier versions have deleted without overwriting them. */
export const DELETED_BYTES = 'free pages: not overwritten';

/** For how long a workspace keeps its messages: JSON. */
export const retention: string = `
ALTER TABLE workspaces ADD COLUMN retention TEXT;
INSERT OR IGNORE INTO settings (name, value)
SELECT '${DELETED_BYTES}', '1' WHERE EXISTS (SELECT 1 FROM workspaces);
`;
