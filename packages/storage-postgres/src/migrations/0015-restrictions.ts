/** What the network forbids an instance's number for now: JSON. */
export const restrictions = `
ALTER TABLE trunkline.instances ADD COLUMN restriction text;
`;
