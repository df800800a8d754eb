/** Which links and cookies of the dashboard ended before their time. */
export const spentTokens = `
CREATE TABLE trunkline.spent_tokens (
  id         text PRIMARY KEY,
  kept_until bigint NOT NULL
);
CREATE INDEX spent_tokens_by_end ON trunkline.spent_tokens (kept_until);
`;
