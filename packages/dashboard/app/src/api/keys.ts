/** The unit of data that hints and actions invalidate. `keyOf` puts it into the query key. */
export type Area =
  'overview' | 'numbers' | 'messages' | 'chats' | 'groups' | 'webhooks' | 'deliveries' | 'keys' | 'members';

/** The beginning of the key of each query about a workspace: `['workspace', 'wsp_…', 'numbers', …]`. */
export function keyOf(workspaceId: string, area: Area, ...rest: readonly unknown[]): readonly unknown[] {
  return ['workspace', workspaceId, area, ...rest];
}
