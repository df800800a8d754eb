/** Whether the requests to an endpoint say what trace they are part of. */
export const endpointTraceContext = `
ALTER TABLE trunkline.endpoints ADD COLUMN trace_context boolean NOT NULL DEFAULT false;
`;
