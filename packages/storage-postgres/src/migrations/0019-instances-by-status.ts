/** How many instances there are of each status is counted without reading them. */
export const instancesByStatus = `
CREATE INDEX instances_by_status ON trunkline.instances (status);
`;
