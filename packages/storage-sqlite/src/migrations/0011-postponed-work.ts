/** The work of workspaces that are suspended, or whose subscription has ended, waits. */
export const postponedWork = `
ALTER TABLE workspaces ADD COLUMN is_postponed INTEGER NOT NULL DEFAULT 0;
UPDATE workspaces SET is_postponed = 1 WHERE suspended_at IS NOT NULL OR json_extract(plan, '$.subscription') = 'none';

ALTER TABLE lanes ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0;
UPDATE lanes SET is_paused = 1 WHERE endpoint_id IN (
  SELECT endpoints.id FROM endpoints JOIN workspaces ON workspaces.id = workspace_id WHERE is_postponed = 1
);
DROP INDEX lanes_to_wake;
CREATE INDEX lanes_to_wake ON lanes (wake_at, endpoint_id) WHERE wake_at IS NOT NULL AND is_paused = 0;
`;
