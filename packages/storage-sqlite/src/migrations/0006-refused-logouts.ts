/** The network did not carry out the last logout: the next one discards the session. */
export const refusedLogouts = `
ALTER TABLE instances ADD COLUMN logout_refused INTEGER NOT NULL DEFAULT 0;
`;
