/** Whether the requests to an endpoint say what trace they are part of. A small table: ADD COLUMN reads all of it. */
export const endpointTraceContext = `
ALTER TABLE endpoints ADD COLUMN trace_context INTEGER NOT NULL DEFAULT 0;
`;
