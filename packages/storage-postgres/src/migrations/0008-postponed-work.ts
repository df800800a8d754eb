/** The work of workspaces that are suspended, or whose subscription has ended, waits. */
export const postponedWork = `
ALTER TABLE trunkline.workspaces ADD COLUMN is_postponed boolean NOT NULL DEFAULT false;
UPDATE trunkline.workspaces SET is_postponed = true
WHERE suspended_at IS NOT NULL OR plan::jsonb ->> 'subscription' = 'none';

ALTER TABLE trunkline.lanes ADD COLUMN is_paused boolean NOT NULL DEFAULT false;
UPDATE trunkline.lanes SET is_paused = true
FROM trunkline.endpoints JOIN trunkline.workspaces ON workspaces.id = endpoints.workspace_id
WHERE endpoints.id = lanes.endpoint_id AND is_postponed;

DROP INDEX trunkline.lanes_to_wake;
CREATE INDEX lanes_to_wake ON trunkline.lanes (wake_at, endpoint_id) WHERE wake_at IS NOT NULL AND NOT is_paused;
`;
