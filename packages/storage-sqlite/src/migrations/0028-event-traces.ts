/** What few events have: where the span stands that caused one. Beside `events`, to which ADD COLUMN would read all of it. */
export const eventTraces = `
CREATE TABLE event_traces (
  event_id    TEXT PRIMARY KEY,
  traceparent TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
