/** What retrying a subscription's exhausted events walks along, and the run of calls that it is in. */
export const exhaustedEvents = `
ALTER TABLE queued_events ADD COLUMN exhausted_at INTEGER;
DROP INDEX queued_events_exhausted;
CREATE INDEX queued_events_exhausted ON queued_events (subscription_id, exhausted_at, event_id) WHERE due_at IS NULL;

ALTER TABLE subscriptions ADD COLUMN retry_round_began_at INTEGER;
ALTER TABLE subscriptions ADD COLUMN retry_round_called_at INTEGER;
`;
