/** What each process said of itself last, for the operator. */
export const processReports = `
CREATE TABLE trunkline.process_reports (
  name        text PRIMARY KEY,
  roles       text[] NOT NULL,
  started_at  bigint NOT NULL,
  reported_at bigint NOT NULL,
  vitals      text
);
`;
