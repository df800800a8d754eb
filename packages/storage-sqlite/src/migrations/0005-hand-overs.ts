/** Instances pass from one process to another by a reservation, which only a process that asks gets. */
export const handOvers = `
ALTER TABLE instances ADD COLUMN lease_reserved_for TEXT NOT NULL DEFAULT '';
CREATE INDEX instances_reserved ON instances (lease_reserved_for, lease_expires_at, id)
  WHERE lease_reserved_for <> '';
ALTER TABLE lease_owners ADD COLUMN asks_until INTEGER NOT NULL DEFAULT 0;
`;
