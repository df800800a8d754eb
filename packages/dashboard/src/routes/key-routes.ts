import type { Admin } from '@trunkline/core';
import { keyResource } from '@trunkline/core/spi/http';
import { dataResponse } from '../json-response.ts';
import { newKey } from '../schemas/admin.ts';
import type { NewKeyResource } from '../schemas/admin.ts';
import type { OwnRoute } from './own-route.ts';
import { readBody } from './read-body.ts';

const PATH = '/admin/workspaces/:workspace/keys';

export function keyRoutes({ apiKeys }: Pick<Admin, 'apiKeys'>): readonly OwnRoute[] {
  return [
    {
      method: 'GET',
      path: PATH,
      access: 'see-all',
      async handle({ parameter }) {
        return dataResponse((await apiKeys.list(parameter('workspace'))).map(keyResource));
      },
    },
    {
      method: 'POST',
      path: PATH,
      access: 'admin',
      async handle({ parameter, body }) {
        const { name, scopes, member_id: memberId, expires_at } = readBody(newKey, body);
        const expiresAt = expires_at === undefined ? undefined : Date.parse(expires_at);
        const workspaceId = parameter('workspace');
        const created = await apiKeys.create({ workspaceId, name, scopes, memberId, expiresAt });
        const key: NewKeyResource = { ...keyResource(created.apiKey), token: created.token };
        return dataResponse(key);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:key/revoke`,
      access: 'admin',
      async handle({ parameter }) {
        return dataResponse(keyResource(await apiKeys.revoke(parameter('workspace'), parameter('key'))));
      },
    },
  ];
}
