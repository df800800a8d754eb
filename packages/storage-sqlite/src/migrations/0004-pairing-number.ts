/** The phone that is to type a code when its instance pairs: digits. */
export const pairingNumber = `
ALTER TABLE instances ADD COLUMN pairing_number TEXT;
`;
