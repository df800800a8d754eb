/** What the network forbids an instance's number for now: JSON. */
export const restrictions = `
ALTER TABLE instances ADD COLUMN restriction TEXT;
`;
