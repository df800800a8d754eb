/** Where the span stands that caused an event; null for most. */
export const eventTraces = `
ALTER TABLE trunkline.events ADD COLUMN traceparent text;
`;
