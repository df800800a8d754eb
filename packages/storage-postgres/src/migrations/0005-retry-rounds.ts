/** What retrying all that failed at an endpoint walks along, and the run of calls that it is in. */
export const retryRounds = `
CREATE INDEX deliveries_to_retry ON trunkline.deliveries (webhook_id, last_attempt_at, id)
  WHERE status IN ('failed', 'exhausted');

ALTER TABLE trunkline.lanes ADD COLUMN retry_round_began_at bigint, ADD COLUMN retry_round_called_at bigint;
`;
