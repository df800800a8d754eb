/** By what people know an API key. Of those that were made before, it is unknown. */
export const keyPrefixes = `
ALTER TABLE api_keys ADD COLUMN prefix TEXT;
`;
