import type {
  GroupDetailResource,
  JoinDecisionInput,
  ParticipantResultResource,
  ParticipantsInput,
} from '@trunkline/http/client';
import type { Call, CommandHandler } from './command.ts';
import { requireConfirmation } from './confirm.ts';
import { listCommand, objectCommand } from './plain-commands.ts';
import { accepted, remoteService } from './remote-service.ts';
import {
  anyObject,
  group,
  groupDetail,
  groupInvite,
  joinedGroup,
  joinRequest,
  newGroup,
  one as reply,
  participantResult,
} from './service-shapes.ts';
import { printable } from '../terminal/printable.ts';
import { joinTexts } from '../terminal/styled-text.ts';
import type { Text } from '../terminal/styled-text.ts';
import { facts, table } from '../terminal/table.ts';
import type { Columns } from '../terminal/table.ts';

const RESULTS: Columns<ParticipantResultResource> = {
  participant: (one) => one.participant,
  outcome: (one) => one.outcome,
  reason: { freeText: (one) => one.reason ?? '' },
};

export const createGroup: CommandHandler = async (call) => {
  const { argument, options, output, signal } = call;
  const service = await remoteService(call);
  const input = { name: argument('name'), participants: listed(call) };
  const how = { idempotencyKey: options.text('idempotency-key'), signal };
  const created = service.client.instances.createGroup(argument('instance'), input, how);
  const { data } = await accepted(service, created, reply(newGroup));
  output.result({ data }, joinTexts([groupFacts(data), '', table(output, RESULTS, data.participants)], '\n'));
};

export const showGroup: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const request = service.client.groups.get(call.argument('group'), call);
  const { data } = await accepted(service, request, reply(groupDetail));
  const members = table(call.output, MEMBERS, data.participants);
  call.output.result({ data }, joinTexts([groupFacts(data), '', members], '\n'));
};

const MEMBERS: Columns<GroupDetailResource['participants'][number]> = {
  participant: (one) => one.phone_number ?? one.contact_id,
  name: { freeText: (one) => one.name ?? '' },
  role: (one) => (one.is_self ? `${one.role}, the instance` : one.role),
};

export const updateGroup: CommandHandler = objectCommand({
  of: 'group',
  shape: group,
  request: ({ groups }, id, call) =>
    groups.update(
      id,
      { name: call.options.text('name'), description: call.options.text('description') },
      call,
    ),
  describe: groupFacts,
});

/** The cast is safe because the service validates the change. */
export const changeParticipants: CommandHandler = listCommand({
  shape: participantResult,
  list: ({ groups }, call) => {
    const change = call.argument('change') as ParticipantsInput['change'];
    return groups.changeParticipants(call.argument('group'), { change, participants: listed(call) }, call);
  },
  columns: RESULTS,
});

export const showInvite: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const request = service.client.groups.invite(call.argument('group'), call);
  const { data } = await accepted(service, request, reply(groupInvite));
  call.output.result({ data }, printable(data.link));
};

export const revokeInvite: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('group');
  await requireConfirmation(call, `The link of the group ${printable(id)} will lead nowhere any more.`);
  const { data } = await accepted(service, service.client.groups.revokeInvite(id, call), reply(groupInvite));
  call.output.result({ data }, printable(data.link));
};

export const joinGroup: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const input = { invite: call.argument('invite') };
  const joined = service.client.instances.joinGroup(call.argument('instance'), input, call);
  const { data } = await accepted(service, joined, reply(joinedGroup));
  call.output.result(
    { data },
    data.group ? groupFacts(data.group) : 'An admin of the group has yet to let the number in.',
  );
};

export const leaveGroup: CommandHandler = async (call) => {
  const service = await remoteService(call);
  const id = call.argument('group');
  await requireConfirmation(call, `The number will leave the group ${printable(id)}.`);
  await accepted(service, service.client.groups.leave(id, call), anyObject);
  call.output.result({ data: { id, left: true } }, `The number has left the group ${printable(id)}.`);
};

export const listJoinRequests: CommandHandler = listCommand({
  shape: joinRequest,
  list: ({ groups }, call) => groups.joinRequests(call.argument('group'), call),
  columns: {
    person: (one) => one.phone_number ?? one.contact_id,
    name: { freeText: (one) => one.name ?? '' },
    since: (one) => one.requested_at,
  },
});

/** The cast is safe because the service validates the decision. */
export const decideJoinRequests: CommandHandler = listCommand({
  shape: participantResult,
  list: ({ groups }, call) => {
    const decision = call.argument('decision') as JoinDecisionInput['decision'];
    return groups.decideJoinRequests(call.argument('group'), { decision, participants: listed(call) }, call);
  },
  columns: RESULTS,
});

function listed(call: Call): readonly string[] {
  return call.argument('participants').split(',');
}

function groupFacts(one: {
  readonly id: string;
  readonly name: string;
  readonly participants_count: number;
  readonly description?: string | null;
}): Text {
  return facts({
    id: one.id,
    name: one.name,
    participants: one.participants_count,
    ...(one.description && { description: one.description }),
  });
}
