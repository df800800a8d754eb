/** Keys of activities, by which their repeats are recognised. */
export const activityKeys = `
CREATE TABLE activity_keys (
  instance_id TEXT NOT NULL,
  key         TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (instance_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_keys_by_age ON activity_keys (recorded_at);
`;
