/**
 * Ids carry their time, so that a partition holds a day and retention drops it whole. What no partition is there for,
 * because none was made ahead, goes to the default ones.
 */
export const history = `
CREATE TABLE trunkline.events (
  id           uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  type         text NOT NULL,
  occurred_at  bigint NOT NULL,
  payload      text NOT NULL
) PARTITION BY RANGE (id);
CREATE TABLE trunkline.events_default PARTITION OF trunkline.events DEFAULT;

CREATE TABLE trunkline.deliveries (
  id                uuid PRIMARY KEY,
  workspace_id      uuid NOT NULL,
  webhook_id        uuid NOT NULL,
  event_id          uuid NOT NULL,
  event_type        text COLLATE "C" NOT NULL,
  event_occurred_at bigint NOT NULL,
  -- The lane's generation that it is queued or claimed in, by which a closing ends it; 0 once it has ended.
  generation        integer NOT NULL,
  status            text COLLATE "C" NOT NULL,
  attempts          integer NOT NULL,
  max_attempts      integer NOT NULL,
  manual            boolean NOT NULL,
  next_retry_at     bigint,
  response_status   integer,
  error_code        text,
  last_attempt_at   bigint,
  delivered_at      bigint,
  created_at        bigint NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX deliveries_by_webhook ON trunkline.deliveries (webhook_id, id);
-- No two indexes for lists begin with the same column: see page.ts.
CREATE INDEX deliveries_by_kind ON trunkline.deliveries (status, generation, event_type, webhook_id, id);
CREATE TABLE trunkline.deliveries_default PARTITION OF trunkline.deliveries DEFAULT;

CREATE TABLE trunkline.attempts (
  delivery_id     uuid NOT NULL,
  number          integer NOT NULL,
  manual          boolean NOT NULL,
  url             text NOT NULL,
  response_status integer,
  response_body   text,
  duration_ms     bigint NOT NULL,
  error_code      text,
  at              bigint NOT NULL,
  PRIMARY KEY (delivery_id, number)
) PARTITION BY RANGE (delivery_id);
CREATE TABLE trunkline.attempts_default PARTITION OF trunkline.attempts DEFAULT;
`;
