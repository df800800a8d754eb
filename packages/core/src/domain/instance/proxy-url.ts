export const PROXY_URL_MAX = 2_048;

/** The maximum size of a SOCKS5 user name or password (RFC 1929, section 2). */
const SOCKS_CREDENTIAL_BYTES = 255;

/** The flaw of a proxy's address, worded without any part of the address; null if there is no flaw. */
export function flawInProxyUrl(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url?.hostname || !['http:', 'https:', 'socks5:'].includes(url.protocol)) {
    return 'Must be an address such as http://user:password@proxy.example:8080, with http:, https: or socks5:.';
  }
  const credentials = [url.username, url.password].map(decoded);
  if (credentials.includes(null)) {
    return 'Must have percent-encoded UTF-8 in its user name and password: write a percent sign as %25.';
  }
  const isTooLong = credentials.some((text) => utf8Length(text ?? '') > SOCKS_CREDENTIAL_BYTES);
  if (url.protocol === 'socks5:' && isTooLong) {
    return `Must have at most ${SOCKS_CREDENTIAL_BYTES} bytes in its user name, and in its password, with socks5:.`;
  }
  return null;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
