/**
 * `queues.is_connected` says from here on whether messages are accepted: while a linked number reconnects, too. It keeps
 * its name, since processes of the version before go on using it.
 */
export const sendingWhileReconnecting = `
UPDATE trunkline.queues SET is_connected = true
FROM trunkline.instances
WHERE instances.id = queues.instance_id AND NOT is_connected
  AND phone_number IS NOT NULL AND desired = 'running' AND status IN ('connecting', 'disconnected');

-- The network did not carry out the last logout: the next one discards the session.
ALTER TABLE trunkline.instances ADD COLUMN logout_refused boolean NOT NULL DEFAULT false;
`;
