import type { Admin, Member } from '@trunkline/core';
import { memberResource } from '@trunkline/core/spi/http';
import { dataResponse, nothingResponse } from '../json-response.ts';
import { memberChanges, newMember } from '../schemas/admin.ts';
import type { MemberChanges } from '../schemas/admin.ts';
import type { OwnRoute } from './own-route.ts';
import { readBody } from './read-body.ts';

const PATH = '/admin/workspaces/:workspace/members';

export function memberRoutes({ members }: Pick<Admin, 'members'>): readonly OwnRoute[] {
  return [
    {
      method: 'GET',
      path: PATH,
      access: 'see-all',
      async handle({ parameter }) {
        return dataResponse((await members.list(parameter('workspace'))).map(memberResource));
      },
    },
    {
      method: 'POST',
      path: PATH,
      access: 'admin',
      async handle({ parameter, body }) {
        const { email, ...rest } = readBody(newMember, body);
        const created = await members.create({
          workspaceId: parameter('workspace'),
          email,
          ...fieldsOf(rest),
        });
        return dataResponse(memberResource(created));
      },
    },
    {
      method: 'PATCH',
      path: `${PATH}/:member`,
      access: 'admin',
      async handle({ parameter, body }) {
        const changes = fieldsOf(readBody(memberChanges, body));
        const [workspaceId, id] = [parameter('workspace'), parameter('member')];
        return dataResponse(memberResource(await members.update(workspaceId, id, changes)));
      },
    },
    {
      method: 'DELETE',
      path: `${PATH}/:member`,
      access: 'admin',
      async handle({ parameter }) {
        await members.delete(parameter('workspace'), parameter('member'));
        return nothingResponse();
      },
    },
  ];
}

type MemberFields = Partial<Pick<Member, 'email' | 'emailVerified' | 'administersWebhooks'>>;

function fieldsOf({ email, email_verified, administers_webhooks }: MemberChanges): MemberFields {
  return {
    ...(email !== undefined && { email }),
    ...(email_verified !== undefined && { emailVerified: email_verified }),
    ...(administers_webhooks !== undefined && { administersWebhooks: administers_webhooks }),
  };
}
