import { request } from './request.ts';

/** Acts as the person who holds the phone (docs/sandbox.md). Throws a ClientError. */
export function controlPhone(
  workspaceId: string,
  instanceId: string,
  control: 'scan' | 'passkey' | 'drop' | 'messages',
  body: object,
): Promise<unknown> {
  const path = `workspaces/${encodeURIComponent(workspaceId)}/sandbox/instances/${encodeURIComponent(instanceId)}/${control}`;
  return request(path, { method: 'POST', body });
}
