/** Which process holds what, so that it can be released as soon as that process has provably ended. */
export const processes = `
CREATE TABLE trunkline.processes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  machine    text NOT NULL,
  namespace  text NOT NULL,
  pid        integer NOT NULL,
  started_at text NOT NULL,
  added_at   timestamptz NOT NULL DEFAULT now()
);
-- 0 is a process that is not known.
ALTER TABLE trunkline.instances ADD COLUMN lease_process bigint NOT NULL DEFAULT 0;
ALTER TABLE trunkline.claims ADD COLUMN process bigint NOT NULL DEFAULT 0;
ALTER TABLE trunkline.queued_events ADD COLUMN process bigint NOT NULL DEFAULT 0;
CREATE INDEX queued_events_claimed ON trunkline.queued_events (process) WHERE process <> 0;
`;
