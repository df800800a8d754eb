import type { Context } from 'hono';
import { getConnInfo } from '@hono/node-server/conninfo';
import { isPublicAddress } from '@trunkline/core/safe-url';

/**
 * The address that a request comes from: behind a proxy, the one that the proxy names, which is the last in
 * `X-Forwarded-For`. Only non-public addresses count as proxies; a client with a public one could name any address.
 */
export function clientAddress(c: Context): string | undefined {
  const peer = getConnInfo(c).remote.address;
  if (peer === undefined || isPublicAddress(peer)) return peer;
  return c.req.header('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? peer;
}
