import {
  groupInput,
  joinDecisionInput,
  joinGroupInput,
  newGroupInput,
  participantsInput,
} from '@trunkline/core/spi/http';
import { data, json, NOTHING } from '../route-response.ts';
import { group, groupDetail, groupInvite, joinRequest, participantResult } from '../schemas/groups.ts';
import type { JsonSchema } from '../schemas/json-schema.ts';
import { list, one } from '../schemas/response-body.ts';
import { GROUP_CHANGE_ERRORS, GROUP_QUESTION_ERRORS } from './call-errors.ts';
import { unchecked } from './route.ts';
import type { RequestBody, RouteGroup } from './route.ts';

const PARTICIPANTS: JsonSchema = {
  description:
    'Phone numbers, formatted or not, or ids of contacts (`con_…`). The response has an entry for each, in this order.',
};

const NAME: JsonSchema = {
  minLength: 1,
  description: 'At most 100 characters, networks may allow fewer; white space around it is removed.',
};

export const NEW_GROUP: RequestBody = {
  name: 'NewGroupInput',
  schemas: [newGroupInput],
  fields: { name: NAME, participants: PARTICIPANTS },
  example: { name: 'Family', participants: ['+55 11 98888-7777'] },
};

export const JOIN_GROUP: RequestBody = {
  name: 'JoinGroupInput',
  schemas: [joinGroupInput],
  fields: { invite: { description: 'The link of the group, or the code in it.' } },
  example: { invite: groupInvite.example.link },
};

const INPUT: RequestBody = {
  name: 'GroupInput',
  schemas: [groupInput],
  fields: { name: NAME, description: { description: 'null or empty removes it.' } },
  example: { name: 'Family', description: 'For birthdays.' },
};

const CHANGE: RequestBody = {
  name: 'ParticipantsInput',
  schemas: [participantsInput],
  fields: {
    change: { description: 'promote makes them admins, and demote no longer.' },
    participants: PARTICIPANTS,
  },
  example: { change: 'add', participants: ['+55 11 98888-7777'] },
};

const DECISION: RequestBody = {
  name: 'JoinDecisionInput',
  schemas: [joinDecisionInput],
  fields: { participants: PARTICIPANTS },
  example: { decision: 'approve', participants: ['+55 11 98888-7777'] },
};

const RESULTS = list(participantResult, 'An entry for each participant');
const INVITE = one(groupInvite, 'The link');

export const groupRoutes: RouteGroup<'groups'> = {
  tag: {
    name: 'Groups',
    description:
      'Groups that an instance is in. Requests go to its open connection and are never queued; changes are limited for each instance, so that no loop in an app costs its number.',
  },
  id: {
    name: 'group',
    description: 'The id of a group (`grp_…`).',
    notFound: 'GROUP_NOT_FOUND',
  },
  routes: {
    get: {
      operationId: 'getGroup',
      method: 'GET',
      path: '/groups/{group}',
      beyond: true,
      summary: 'Reads a group with its description and its participants, as its network describes it now',
      scope: 'instances:read',
      success: { status: 200, body: one(groupDetail, 'The group') },
      errors: GROUP_QUESTION_ERRORS,
      handle: async ({ api, id }) => data(await api.groups.get(id)),
    },
    update: {
      operationId: 'updateGroup',
      method: 'PATCH',
      path: '/groups/{group}',
      beyond: true,
      summary: 'Changes the name or the description of a group',
      scope: 'instances:write',
      body: INPUT,
      success: { status: 200, body: one(group, 'The group') },
      errors: GROUP_CHANGE_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { name: '' } } },
      handle: async ({ api, id, body }) => data(await api.groups.update(id, unchecked(body))),
    },
    changeParticipants: {
      operationId: 'changeGroupParticipants',
      method: 'POST',
      path: '/groups/{group}/participants',
      beyond: true,
      summary:
        'Adds people to a group or removes them, or makes them admins or no longer; an outcome for each',
      scope: 'instances:write',
      body: CHANGE,
      success: { status: 200, body: RESULTS },
      errors: GROUP_CHANGE_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { participants: ['none'] } } },
      handle: async ({ api, id, body }) => json(await api.groups.changeParticipants(id, unchecked(body))),
    },
    invite: {
      operationId: 'getGroupInvite',
      method: 'GET',
      path: '/groups/{group}/invite',
      beyond: true,
      summary: 'Reads the link by which anyone can join a group',
      scope: 'instances:write',
      success: { status: 200, body: INVITE, noStore: true },
      errors: GROUP_QUESTION_ERRORS,
      handle: async ({ api, id }) => data(await api.groups.invite(id)),
    },
    revokeInvite: {
      operationId: 'revokeGroupInvite',
      method: 'POST',
      path: '/groups/{group}/invite/revoke',
      beyond: true,
      summary: 'Replaces the link of a group: the previous one leads nowhere any more',
      scope: 'instances:write',
      success: { status: 200, body: INVITE, noStore: true },
      errors: GROUP_CHANGE_ERRORS,
      handle: async ({ api, id }) => data(await api.groups.revokeInvite(id)),
    },
    joinRequests: {
      operationId: 'listJoinRequests',
      method: 'GET',
      path: '/groups/{group}/join-requests',
      beyond: true,
      summary: 'Lists the people who ask to be let into a group',
      scope: 'instances:read',
      success: { status: 200, body: list(joinRequest, 'All who ask') },
      errors: GROUP_QUESTION_ERRORS,
      handle: async ({ api, id }) => json(await api.groups.joinRequests(id)),
    },
    decideJoinRequests: {
      operationId: 'decideJoinRequests',
      method: 'POST',
      path: '/groups/{group}/join-requests',
      beyond: true,
      summary: 'Lets people into a group who ask for it, or turns them away; an outcome for each',
      scope: 'instances:write',
      body: DECISION,
      success: { status: 200, body: RESULTS },
      errors: GROUP_CHANGE_ERRORS,
      refuses: { VALIDATION_FAILED: { body: { decision: 'wait' } } },
      handle: async ({ api, id, body }) => json(await api.groups.decideJoinRequests(id, unchecked(body))),
    },
    leave: {
      operationId: 'leaveGroup',
      method: 'POST',
      path: '/groups/{group}/leave',
      beyond: true,
      summary: 'Makes the number of the instance leave a group',
      scope: 'instances:write',
      success: { status: 204, body: null },
      errors: GROUP_CHANGE_ERRORS,
      handle: async ({ api, id }) => {
        await api.groups.leave(id);
        return NOTHING;
      },
    },
  },
};
