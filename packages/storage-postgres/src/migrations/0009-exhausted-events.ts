/** What retrying a subscription's exhausted events walks along, and the run of calls that it is in. */
export const exhaustedEvents = `
ALTER TABLE trunkline.queued_events ADD COLUMN exhausted_at bigint;
DROP INDEX trunkline.queued_events_exhausted;
CREATE INDEX queued_events_exhausted ON trunkline.queued_events (subscription_id, exhausted_at NULLS FIRST, event_id)
  WHERE due_at IS NULL;

ALTER TABLE trunkline.subscriptions ADD COLUMN retry_round_began_at bigint, ADD COLUMN retry_round_called_at bigint;
`;
