import type { Hono } from 'hono';
import type { RequestGuard } from '@trunkline/http';
import { createMcp } from '@trunkline/mcp';
import type { McpTrunkline } from '@trunkline/mcp';
import type { McpSettings, Settings } from '../settings/settings.ts';

const MCP_PATH = '/mcp';
/** The host names by which local programs reach the MCP server. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

interface McpParts {
  readonly trunkline: McpTrunkline;
  readonly guard: RequestGuard;
  readonly settings: McpSettings;
  readonly address: Pick<Settings, 'host' | 'publicUrl'>;
}

/** Adds the MCP server, which shares the API's keys and rate limit. */
export function addMcp(app: Hono, { trunkline, guard, settings, address }: McpParts): void {
  const { sendTo, sendFrom, sendKeys, messagesPerDay, retries } = settings;
  const mcp = createMcp(trunkline, {
    path: MCP_PATH,
    guard,
    retries,
    allowedHosts: allowedHosts(address),
    ...(sendTo.length > 0 && {
      sending: { to: sendTo, from: sendFrom, keys: sendKeys, messagesPerDay },
    }),
  });
  app.all(MCP_PATH, (c) => mcp.fetch(c.req.raw));
}

/**
 * Undefined, which allows any host, if the server does not listen on loopback, because then it does not know its own
 * names.
 */
function allowedHosts({ host, publicUrl }: McpParts['address']): readonly string[] | undefined {
  if (!LOOPBACK.includes(host) && host !== '::1') return undefined;
  return publicUrl === undefined ? LOOPBACK : [...LOOPBACK, new URL(publicUrl).hostname];
}
