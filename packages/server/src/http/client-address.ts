import type { Context } from 'hono';
import { getConnInfo } from '@hono/node-server/conninfo';
import { isPublicAddress } from '@trunkline/core/safe-url';

/**
 * The address that a request comes from. Behind a proxy, that is the last address in `X-Forwarded-For`, which the proxy
 * added. Only non-public addresses count as proxies, because a client with a public address could send any header.
 */
export function clientAddress(c: Context): string | undefined {
  const peer = getConnInfo(c).remote.address;
  if (peer === undefined || isPublicAddress(peer)) return peer;
  return c.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? peer;
}
