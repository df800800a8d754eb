/**
 * Open work only, in tables that stay small: rows come and go all the time, so that vacuum has to come often, and a
 * claim meets few dead ones.
 */
export const BUSY =
  'autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0';

export const lanes: string = `
-- Who may be served next: one small row per endpoint. It outlives its endpoint while deliveries of it are open. Only who
-- holds a lane's lock touches what is claimed or queued in it, apart from those who queue a new delivery: they append
-- to \`wake\` instead, so that they wait for nobody.
CREATE TABLE trunkline.lanes (
  endpoint_id uuid PRIMARY KEY,
  -- The generation that claims take from.
  generation  integer NOT NULL,
  -- When a claim finds something to do: a delivery to take, or a claim that has expired. Null while there is neither.
  wake_at     bigint,
  -- Whether all slots are held.
  is_full     boolean NOT NULL,
  -- Nothing is claimed before: when the throttle allows the next start, and, so that others get their turn, the last start.
  ready_from  bigint NOT NULL,
  -- When the attempts began that the throttle still counted at the last claim, oldest first.
  starts      bigint[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50, ${BUSY});
CREATE INDEX lanes_to_wake ON trunkline.lanes (wake_at, endpoint_id) WHERE wake_at IS NOT NULL;

-- A claim reads the lane's present generation, and never what a closing has left behind.
CREATE TABLE trunkline.due (
  endpoint_id uuid NOT NULL,
  generation  integer NOT NULL,
  due_at      bigint NOT NULL,
  delivery_id uuid NOT NULL,
  lost_claims integer NOT NULL,
  PRIMARY KEY (endpoint_id, generation, due_at, delivery_id)
) WITH (${BUSY});
CREATE UNIQUE INDEX due_by_delivery ON trunkline.due (delivery_id);

-- No more rows per endpoint than slots, whatever the code does: the slot is part of the key.
CREATE TABLE trunkline.claims (
  endpoint_id uuid NOT NULL,
  slot        integer NOT NULL CHECK (slot >= 0),
  delivery_id uuid NOT NULL,
  token       bigint GENERATED ALWAYS AS IDENTITY (CACHE 100),
  -- The generation of the lane that it was queued in.
  generation  integer NOT NULL,
  lost_claims integer NOT NULL,
  expires_at  bigint NOT NULL,
  PRIMARY KEY (endpoint_id, slot)
) WITH (fillfactor = 50, ${BUSY});

-- Lanes in which something was queued that they do not know of yet.
CREATE TABLE trunkline.wake (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id uuid NOT NULL,
  -- When the first of it is due.
  due_at      bigint NOT NULL
) WITH (${BUSY});

-- What the lanes' times were worked out with: one row, made by the first claim.
CREATE TABLE trunkline.lane_limits (
  id     boolean PRIMARY KEY DEFAULT true CHECK (id),
  limits text NOT NULL
);

-- What a closing has ended and is not written down yet.
CREATE TABLE trunkline.closings (
  endpoint_id uuid NOT NULL,
  generation  integer NOT NULL,
  reason      text NOT NULL,
  -- Whether there may be something to write down; false while all that is left is under a claim.
  to_sweep    boolean NOT NULL,
  PRIMARY KEY (endpoint_id, generation)
);
CREATE INDEX closings_to_sweep ON trunkline.closings (endpoint_id, generation) WHERE to_sweep;
`;
