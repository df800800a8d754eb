/** Migration 101: the URLs of deleted endpoints, which their deliveries still show. */
export const DELETED_ENDPOINTS = `
CREATE TABLE trunkline.deleted_endpoints (
  id         uuid PRIMARY KEY,
  url        text NOT NULL,
  deleted_at bigint NOT NULL
);
CREATE INDEX deleted_endpoints_by_age ON trunkline.deleted_endpoints (deleted_at);
`;
