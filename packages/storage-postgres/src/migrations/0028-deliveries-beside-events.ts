/**
 * Whether the ids of the deliveries of an event have its order, so that they are looked for there only. Null for an event that
 * a former version has stored, also one that still runs: its deliveries lie among those of other events.
 */
export const deliveriesBesideEvents = `
ALTER TABLE trunkline.events ADD COLUMN deliveries_beside boolean;
`;
