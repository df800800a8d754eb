/** Which links and cookies of the dashboard ended before their time. */
export const spentTokens = `
CREATE TABLE spent_tokens (
  id         TEXT NOT NULL PRIMARY KEY,
  kept_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_tokens_by_end ON spent_tokens (kept_until);
`;
