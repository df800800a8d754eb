import { BUSY } from './lanes.ts';

/** Events for handlers in process, in a queue for each subscription. */
export const subscriptions: string = `
CREATE TABLE trunkline.subscriptions (
  id          uuid PRIMARY KEY,
  name        text COLLATE "C" NOT NULL UNIQUE,
  event_types text[] NOT NULL,
  created_at  bigint NOT NULL
);

-- Deleted ones of which something may still be queued, or come yet from a transaction that has not seen that they are.
CREATE TABLE trunkline.deleted_subscriptions (
  id         uuid PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);

CREATE SEQUENCE trunkline.event_claim_tokens CACHE 100;

CREATE TABLE trunkline.queued_events (
  event_id        uuid NOT NULL,
  subscription_id uuid NOT NULL,
  event_type      text COLLATE "C" NOT NULL,
  -- When it can be claimed; for one that is claimed, when its lease ends. Null once it is exhausted.
  due_at          bigint,
  attempts        integer NOT NULL,
  lost_claims     integer NOT NULL,
  -- Of the latest claim; null while there is none.
  token           bigint,
  PRIMARY KEY (event_id, subscription_id)
) WITH (${BUSY});
CREATE INDEX queued_events_due ON trunkline.queued_events (subscription_id, event_type, due_at, event_id)
  WHERE due_at IS NOT NULL;
CREATE INDEX queued_events_exhausted ON trunkline.queued_events (subscription_id, event_id) WHERE due_at IS NULL;
`;
