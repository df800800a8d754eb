const PROTOCOLS = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

/** Throws a `TypeError` for an invalid proxy, without the address, which may contain a password. */
export function checkProxy(proxy: string | URL): void {
  const address = String(proxy);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url?.hostname || !PROTOCOLS.has(url.protocol)) {
    throw new TypeError(
      'baileysGateway: the option "socket.proxy" is wrong: it must be an address such as http://user:password@proxy.example:8080, with http:, https: or socks5:.',
    );
  }
}
