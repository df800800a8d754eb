import { BUSY } from './0001/lanes.ts';

/**
 * An open delivery is one row, with its facts and its place in the queue; claims stand in the row of their lane. Processes
 * of the version before cannot go on beside this: whatever of theirs concerns deliveries fails with an error that says so,
 * and changes nothing.
 */
export const openDeliveries: string = `
-- In the order in which transactions of the version before take them, so that none of those waits for us in turn.
LOCK TABLE trunkline.lanes, trunkline.deliveries, trunkline.due, trunkline.claims, trunkline.lane_limits
  IN ACCESS EXCLUSIVE MODE;

-- What an attempt came to, as in \`attempts\`.
CREATE TYPE trunkline.attempt AS (
  number          integer,
  manual          boolean,
  url             text,
  response_status integer,
  response_body   text,
  duration_ms     bigint,
  error_code      text,
  at              bigint
);

-- Deliveries that have ended: written once, with their first attempt, which mostly is the only one. Further attempts,
-- and the first one of deliveries that ended before this column was there, are rows of \`attempts\`.
ALTER TABLE trunkline.deliveries ADD COLUMN first_attempt trunkline.attempt, ALTER COLUMN generation SET DEFAULT 0;

-- A claim does not write here: the lane's row says what is claimed.
CREATE TABLE trunkline.open_deliveries (
  id                uuid PRIMARY KEY,
  workspace_id      uuid NOT NULL,
  webhook_id        uuid NOT NULL,
  event_id          uuid NOT NULL,
  event_type        text COLLATE "C" NOT NULL,
  event_occurred_at bigint NOT NULL,
  -- The lane's generation that it is queued in: one that an endpoint's cancellation has left behind has failed.
  generation        integer NOT NULL,
  status            text COLLATE "C" NOT NULL,
  attempts          integer NOT NULL,
  max_attempts      integer NOT NULL,
  manual            boolean NOT NULL,
  next_retry_at     bigint,
  response_status   integer,
  error_code        text,
  last_attempt_at   bigint,
  created_at        bigint NOT NULL,
  first_attempt     trunkline.attempt,
  due_at            bigint NOT NULL,
  -- Claims in a row that ended without an outcome.
  lost_claims       integer NOT NULL
) WITH (${BUSY});
-- No two indexes begin with the same column: see page.ts.
CREATE INDEX open_deliveries_queue ON trunkline.open_deliveries (generation, webhook_id, due_at, id);
CREATE INDEX open_deliveries_by_kind ON trunkline.open_deliveries (status, generation, event_type, webhook_id, id);

CREATE TYPE trunkline.delivery_claim AS (
  delivery_id uuid,
  -- That of the delivery.
  generation  integer,
  token       bigint,
  expires_at  bigint,
  process     bigint
);
CREATE SEQUENCE trunkline.delivery_claim_tokens CACHE 100;
SELECT setval('trunkline.delivery_claim_tokens', nextval(pg_get_serial_sequence('trunkline.claims', 'token')));

ALTER TABLE trunkline.lanes
  DROP COLUMN is_full,
  -- The endpoint's, which this row may outlive.
  ADD COLUMN workspace_id uuid,
  ADD COLUMN claims trunkline.delivery_claim[] NOT NULL DEFAULT '{}',
  -- How many claims the latest one allowed.
  ADD COLUMN slots integer NOT NULL DEFAULT 1,
  -- Whatever the code does.
  ADD CONSTRAINT lanes_have_slots CHECK (cardinality(claims) <= slots);
UPDATE trunkline.lanes SET workspace_id = endpoints.workspace_id
FROM trunkline.endpoints
WHERE endpoints.id = lanes.endpoint_id;
UPDATE trunkline.lanes SET workspace_id = (
  SELECT workspace_id FROM trunkline.deliveries
  WHERE webhook_id BETWEEN lanes.endpoint_id AND lanes.endpoint_id
  ORDER BY webhook_id
  LIMIT 1
)
WHERE workspace_id IS NULL;
-- Of deleted endpoints of which nothing is left.
DELETE FROM trunkline.lanes WHERE workspace_id IS NULL;
ALTER TABLE trunkline.lanes ALTER COLUMN workspace_id SET NOT NULL;

UPDATE trunkline.lanes SET claims = held.claims, slots = cardinality(held.claims)
FROM (
  SELECT endpoint_id,
    array_agg(ROW(delivery_id, generation, token, expires_at, process)::trunkline.delivery_claim ORDER BY slot) AS claims
  FROM trunkline.claims
  GROUP BY endpoint_id
) AS held
WHERE lanes.endpoint_id = held.endpoint_id;
INSERT INTO trunkline.due (endpoint_id, generation, due_at, delivery_id, lost_claims)
SELECT endpoint_id, claims.generation, coalesce(delivery.next_retry_at, delivery.created_at), delivery_id, lost_claims
FROM trunkline.claims
CROSS JOIN LATERAL (SELECT * FROM trunkline.deliveries WHERE deliveries.id = claims.delivery_id LIMIT 1) AS delivery;

DROP TABLE trunkline.claims, trunkline.lane_limits;
-- What the lanes' times were worked out with: one row, made by the first claim.
CREATE TABLE trunkline.claim_limits (
  id     boolean PRIMARY KEY DEFAULT true CHECK (id),
  limits text NOT NULL
);

-- Its rows are moved by the next migration, however many there are.
ALTER TABLE trunkline.due RENAME TO former_due;

CREATE FUNCTION trunkline.refuse_former_version() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this database was upgraded for a newer version of Trunkline: stop this process, and start that version';
END $$;
CREATE FUNCTION trunkline.refuse_write_of_former_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM trunkline.refuse_former_version();
  RETURN NULL;
END $$;
-- Behind an OFFSET: else the planner might find without a look that no row can be what is asked for.
CREATE VIEW trunkline.lane_limits AS
  SELECT true AS id, ''::text AS limits WHERE trunkline.refuse_former_version() OFFSET 0;
CREATE VIEW trunkline.due AS
  SELECT NULL::uuid AS endpoint_id, 0 AS generation, 0::bigint AS due_at, NULL::uuid AS delivery_id, 0 AS lost_claims
  WHERE trunkline.refuse_former_version() OFFSET 0;
CREATE VIEW trunkline.claims AS
  SELECT NULL::uuid AS endpoint_id, 0 AS slot, NULL::uuid AS delivery_id, 0::bigint AS token, 0 AS generation,
    0 AS lost_claims, 0::bigint AS expires_at, 0::bigint AS process
  WHERE trunkline.refuse_former_version() OFFSET 0;
CREATE TRIGGER refuse INSTEAD OF INSERT OR UPDATE OR DELETE ON trunkline.due
  FOR EACH ROW EXECUTE FUNCTION trunkline.refuse_write_of_former_version();
CREATE TRIGGER refuse INSTEAD OF INSERT OR UPDATE OR DELETE ON trunkline.claims
  FOR EACH ROW EXECUTE FUNCTION trunkline.refuse_write_of_former_version();
`;
