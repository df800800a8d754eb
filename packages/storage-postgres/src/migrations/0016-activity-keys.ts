/** Keys of activities, by which their repeats are recognised. */
export const activityKeys = `
CREATE TABLE trunkline.activity_keys (
  instance_id uuid NOT NULL,
  key         text NOT NULL,
  recorded_at bigint NOT NULL,
  PRIMARY KEY (instance_id, key)
);
CREATE INDEX activity_keys_by_age ON trunkline.activity_keys (recorded_at);
`;
