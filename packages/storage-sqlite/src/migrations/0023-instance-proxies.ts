/** The address of the proxy that an instance connects through, sealed. */
export const instanceProxies = `
ALTER TABLE instances ADD COLUMN sealed_proxy_url TEXT;
`;
