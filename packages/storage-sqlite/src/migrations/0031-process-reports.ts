/** What each process said of itself last, for the operator. */
export const processReports = `
CREATE TABLE process_reports (
  name        TEXT NOT NULL PRIMARY KEY,
  roles       TEXT NOT NULL,
  started_at  INTEGER NOT NULL,
  reported_at INTEGER NOT NULL,
  vitals      TEXT
) STRICT, WITHOUT ROWID;
`;
