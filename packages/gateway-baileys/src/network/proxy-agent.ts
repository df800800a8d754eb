import type { Agent } from 'node:https';
import type { Socket } from 'node:net';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { SocksProxyAgent } from 'socks-proxy-agent';

/** An agent that connects to any host through the proxy. Its errors never contain the proxy's address. */
export function proxyAgent(proxy: string | URL): Agent {
  const url = new URL(proxy);
  if (!url.protocol.startsWith('socks5')) return new HttpProxy(url);
  // `socks5h` lets the proxy resolve names, so that no other resolver sees them.
  url.href = url.href.replace(/^socks5h?:/, 'socks5h:');
  return new SocksProxy(url);
}

class HttpProxy extends HttpsProxyAgent<string> {
  override async connect(...request: Parameters<HttpsProxyAgent<string>['connect']>): Promise<Socket> {
    return super.connect(...request).catch(failWithoutAddress);
  }
}

class SocksProxy extends SocksProxyAgent {
  override async connect(...request: Parameters<SocksProxyAgent['connect']>): Promise<Socket> {
    return super.connect(...request).catch(failWithoutAddress);
  }
}

/** The libraries' errors may contain the address, its password, or text from a hostile proxy. */
function failWithoutAddress(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const reason = typeof code === 'string' ? ` (${code})` : '';
  throw new Error(
    `The proxy of the instance did not connect${reason}: check its address, its user name and its password, and that it runs.`,
  );
}
