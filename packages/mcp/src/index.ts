export { createMcp } from './create-mcp.ts';
export type { Mcp, McpTrunkline } from './create-mcp.ts';
export type { McpOptions, SendingRules } from './mcp-options.ts';
