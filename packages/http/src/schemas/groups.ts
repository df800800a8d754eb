import type {
  GroupDetailResource,
  GroupInviteResource,
  GroupResource,
  JoinedGroupResource,
  JoinRequestResource,
  NewGroupResource,
  ParticipantResultResource,
} from '@trunkline/core';
import { GROUP_ROLES, PARTICIPANT_OUTCOMES } from '@trunkline/core/spi/http';
import * as z from 'zod';
import { exactSchema } from './exact-schema.ts';
import { count, id, timestamp, timestampOrNull } from './fields.ts';
import type { Resource } from './response-body.ts';

const fields = { id: id('grp'), name: z.string(), participants_count: count, synced_at: timestamp };

export const group: Resource<GroupResource> = {
  name: 'Group',
  schema: exactSchema<GroupResource>()(z.strictObject(fields)),
  example: {
    id: 'grp_01kaj2q4m3f7h9k2n5p8r1t6w0',
    name: 'Family',
    participants_count: 5,
    synced_at: '2026-11-20T21:15:01.000+00:00',
  },
};

const person = {
  phone_number: z.string().nullable().meta({ description: 'Digits; null if the network hides them.' }),
  contact_id: id('con')
    .nullable()
    .meta({ description: 'Names the person in requests; null if there is a phone number.' }),
  name: z
    .string()
    .nullable()
    .meta({ description: 'The name that the person gave themselves; null if it is not known.' }),
};

export const groupDetail: Resource<GroupDetailResource> = {
  name: 'GroupDetail',
  schema: exactSchema<GroupDetailResource>()(
    z.strictObject({
      ...fields,
      instance_id: id('ins'),
      description: z.string().nullable(),
      participants: z.array(
        z.strictObject({
          ...person,
          role: z
            .enum(GROUP_ROLES)
            .meta({ description: 'owner is the admin who made the group, if the network knows one.' }),
          is_self: z.boolean().meta({ description: 'Whether this is the number of the instance.' }),
        }),
      ),
    }),
  ),
  example: {
    ...group.example,
    instance_id: 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c',
    description: 'For birthdays.',
    participants: [
      { phone_number: '15550100', contact_id: null, name: null, role: 'owner', is_self: true },
      { phone_number: '5511988887777', contact_id: null, name: 'Ada', role: 'member', is_self: false },
    ],
  },
};

export const participantResult: Resource<ParticipantResultResource> = {
  name: 'ParticipantResult',
  schema: exactSchema<ParticipantResultResource>()(
    z.strictObject({
      participant: z.string().meta({ description: 'The number or the id, as the request has it.' }),
      outcome: z.enum(PARTICIPANT_OUTCOMES).meta({
        description:
          'unchanged: it was so before. invitation_needed: the person only lets some people add them; send them the link of the group. not_found: the number is not on the network or, unless it was to be added, not in the group.',
      }),
      reason: z
        .string()
        .nullable()
        .meta({ description: 'Why the network refused; null if it did not, or gives no reason.' }),
    }),
  ),
  example: { participant: '+55 11 98888-7777', outcome: 'added', reason: null },
};

export const newGroup: Resource<NewGroupResource> = {
  name: 'NewGroup',
  schema: exactSchema<NewGroupResource>()(
    z.strictObject({ ...fields, participants: z.array(participantResult.schema) }),
  ),
  example: { ...group.example, participants: [participantResult.example] },
};

export const groupInvite: Resource<GroupInviteResource> = {
  name: 'GroupInvite',
  schema: exactSchema<GroupInviteResource>()(
    z.strictObject({ link: z.string().meta({ description: 'Anyone who has it can join.' }) }),
  ),
  example: { link: 'https://chat.whatsapp.com/Kd9x2LmQ4vR7tYpW1zBn' },
};

export const joinRequest: Resource<JoinRequestResource> = {
  name: 'JoinRequest',
  schema: exactSchema<JoinRequestResource>()(z.strictObject({ ...person, requested_at: timestampOrNull })),
  example: {
    phone_number: '5511988887777',
    contact_id: null,
    name: 'Ada',
    requested_at: '2026-11-20T21:15:01.000+00:00',
  },
};

export const joinedGroup: Resource<JoinedGroupResource> = {
  name: 'JoinedGroup',
  schema: exactSchema<JoinedGroupResource>()(
    z.strictObject({
      outcome: z
        .enum(['joined', 'requested'])
        .meta({ description: 'requested: an admin has yet to let the number in.' }),
      group: group.schema.nullable().meta({ description: 'null if an admin has yet to let the number in.' }),
    }),
  ),
  example: { outcome: 'joined', group: group.example },
};
