import type { Member } from '@trunkline/core';
import { memberResource } from '@trunkline/core/spi/http';
import type { Call, CommandHandler } from './command.ts';
import { requireConfirmation } from './confirm.ts';
import { withLocalService } from './local-service.ts';
import { refusable } from './refusals.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts, table } from '../terminal/table.ts';
import { workspaceMeant } from './workspaces.ts';
import { yesOrNo, yesOrNoIn } from './yes-or-no.ts';

export const listMembers: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const { id } = await workspaceMeant(admin, call.options.text('workspace'));
    const members = await admin.members.list(id);
    call.output.result(
      { data: members.map(memberResource) },
      table(
        call.output,
        {
          id: (one) => one.id,
          email: { freeText: (one) => one.email },
          verified: (one) => yesOrNo(one.emailVerified),
          'administers webhooks': (one) => yesOrNo(one.administersWebhooks),
        },
        members,
      ),
    );
  });

export const createMember: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const changes = changesIn(call);
    const { id: workspaceId } = await workspaceMeant(admin, call.options.text('workspace'));
    const created = await refusable(
      admin.members.create({ workspaceId, email: call.argument('email'), ...changes }),
    );
    call.output.result({ data: memberResource(created) }, described(created));
  });

export const updateMember: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const email = call.options.text('email');
    const changes = { ...changesIn(call), ...(email !== undefined && { email }) };
    const { id: workspaceId } = await workspaceMeant(admin, call.options.text('workspace'));
    const changed = await refusable(admin.members.update(workspaceId, call.argument('member'), changes));
    call.output.result({ data: memberResource(changed) }, described(changed));
  });

export const deleteMember: CommandHandler = (call) =>
  withLocalService(call, async ({ admin }) => {
    const { id: workspaceId } = await workspaceMeant(admin, call.options.text('workspace'));
    const id = call.argument('member');
    await requireConfirmation(
      call,
      `The member ${id} will be deleted, and each API key that the member made will be revoked.`,
    );
    await refusable(admin.members.delete(workspaceId, id));
    call.output.result({ data: { id, deleted: true } }, `The member ${id} is deleted.`);
  });

function changesIn({ options }: Call): Partial<Pick<Member, 'emailVerified' | 'administersWebhooks'>> {
  const [emailVerified, administersWebhooks] = [
    yesOrNoIn(options, 'verified'),
    yesOrNoIn(options, 'administers-webhooks'),
  ];
  return {
    ...(emailVerified !== undefined && { emailVerified }),
    ...(administersWebhooks !== undefined && { administersWebhooks }),
  };
}

function described({ id, email, emailVerified, administersWebhooks }: Member): Text {
  return facts({
    member: id,
    email,
    verified: yesOrNo(emailVerified),
    'administers webhooks': yesOrNo(administersWebhooks),
  });
}
