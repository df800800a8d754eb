/** Instances pass from one process to another by a reservation, which only a process that asks gets. */
export const handOvers = `
ALTER TABLE trunkline.instances ADD COLUMN lease_reserved_for text NOT NULL DEFAULT '';
CREATE INDEX instances_reserved ON trunkline.instances (lease_reserved_for, lease_expires_at, id)
  WHERE lease_reserved_for <> '';
ALTER TABLE trunkline.lease_owners ADD COLUMN asks_until bigint NOT NULL DEFAULT 0;
`;
