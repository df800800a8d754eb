import type { Group } from '../domain/instance/group.ts';
import type {
  GroupRole,
  JoinDecision,
  ParticipantChange,
  ParticipantResult,
} from '../domain/instance/group-request.ts';
import type { GroupCallResult, GroupPerson } from '../domain/instance/instance-call.ts';
import { timestamp } from './time.ts';

/** A group that an instance is a member of. */
export interface GroupResource {
  /** `grp_…` */
  readonly id: string;
  /** The subject of the group. */
  readonly name: string;
  /** How many members the network reports. */
  readonly participants_count: number;
  /** When the network last reported the group; ISO 8601 with an offset. */
  readonly synced_at: string;
}

export function groupResource(group: Group): GroupResource {
  return {
    id: group.id,
    name: group.name,
    participants_count: group.participantsCount,
    synced_at: timestamp(group.syncedAt),
  };
}

/** A group as its network describes it at this moment. */
export interface GroupDetailResource extends GroupResource {
  /** The instance that is a member. */
  readonly instance_id: string;
  /** Null if the group has none. */
  readonly description: string | null;
  /** The members, in the order of the network. */
  readonly participants: readonly GroupParticipantResource[];
}

/** A member of a group. */
export interface GroupParticipantResource extends GroupPersonResource {
  /** `member`, `admin`, or `owner` for the admin who made the group. */
  readonly role: GroupRole;
  /** Whether this is the number of the instance. */
  readonly is_self: boolean;
}

/** A person in a group, or one who asks to be let in. */
export interface GroupPersonResource {
  /** Digits; null if the network hides them. */
  readonly phone_number: string | null;
  /** `con_…`; null if there is a phone number. */
  readonly contact_id: string | null;
  /** The name that the person gave themselves; null if it is not known. */
  readonly name: string | null;
}

/** A person who asks to be let into a group. */
export interface JoinRequestResource extends GroupPersonResource {
  /** ISO 8601 with an offset; null if the network does not say. */
  readonly requested_at: string | null;
}

/** The outcome for one participant of a request. */
export interface ParticipantResultResource {
  /** The number or the id, as the request has it. */
  readonly participant: string;
  /**
   * `added`, `removed`, `promoted`, `demoted`, `approved` or `rejected` if it was done; `unchanged` if it was so before;
   * `not_found` if the person is not on the network or not in the group; otherwise `refused`. `invitation_needed` if the
   * person lets only some people add them: send them the link of the group.
   */
  readonly outcome: ParticipantOutcomeName;
  /** Why the network refused; null if it did not, or gives no reason. */
  readonly reason: string | null;
}

export const PARTICIPANT_OUTCOMES = [
  'added',
  'removed',
  'promoted',
  'demoted',
  'approved',
  'rejected',
  'unchanged',
  'invitation_needed',
  'not_found',
  'refused',
] as const;
/** The outcome for one participant. */
export type ParticipantOutcomeName = (typeof PARTICIPANT_OUTCOMES)[number];

/** The outcome of each change that was made. */
const DONE = {
  add: 'added',
  remove: 'removed',
  promote: 'promoted',
  demote: 'demoted',
  approve: 'approved',
  reject: 'rejected',
} as const satisfies Record<ParticipantChange | JoinDecision, ParticipantOutcomeName>;

/** A group that was created, with the outcome for each participant. */
export interface NewGroupResource extends GroupResource {
  /** A result for each participant of the request, in this order. */
  readonly participants: readonly ParticipantResultResource[];
}

/** The link by which anyone can join a group. */
export interface GroupInviteResource {
  /** The link. */
  readonly link: string;
}

/** The outcome of joining a group. */
export interface JoinedGroupResource {
  /** `joined`, or `requested` if an admin has yet to let the number in. */
  readonly outcome: 'joined' | 'requested';
  /** The group that was joined; null if an admin has yet to let the number in. */
  readonly group: GroupResource | null;
}

export function groupDetailResource(
  group: Group,
  { description, members }: NonNullable<GroupCallResult['description']>,
): GroupDetailResource {
  return {
    ...groupResource(group),
    instance_id: group.instanceId,
    description,
    participants: members.map((member) => ({
      ...personResource(member),
      role: member.role,
      is_self: member.isSelf,
    })),
  };
}

export function joinRequestResource(
  request: NonNullable<GroupCallResult['joinRequests']>[number],
): JoinRequestResource {
  const { requestedAt } = request;
  return { ...personResource(request), requested_at: requestedAt === null ? null : timestamp(requestedAt) };
}

function personResource({ phoneNumber, contactId, name }: GroupPerson): GroupPersonResource {
  return { phone_number: phoneNumber, contact_id: contactId, name };
}

/** A result of a request, with the participant as the request has it. */
export interface ResultOfParticipant extends ParticipantResult {
  readonly participant: string;
}

export function participantResultResource(
  change: ParticipantChange | JoinDecision,
  { participant, outcome, reason = null }: ResultOfParticipant,
): ParticipantResultResource {
  return { participant, outcome: outcome === 'done' ? DONE[change] : outcome, reason };
}
