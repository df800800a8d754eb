import type { ContactReport } from '../contact/contact.ts';
import type { GroupReport } from './group.ts';
import type { ChatAddress } from './chat-address.ts';

/** The most participants in one request. */
export const GROUP_PARTICIPANTS_MAX = 50;
/** The most characters of a group's name, which networks count in different ways. */
export const GROUP_NAME_MAX = 100;
/** The most characters of a group's description. */
export const GROUP_DESCRIPTION_MAX = 2_048;

/** The changes of participants. */
export const PARTICIPANT_CHANGES = ['add', 'remove', 'promote', 'demote'] as const;
export type ParticipantChange = (typeof PARTICIPANT_CHANGES)[number];

/** The decisions about people who ask to join. */
export const JOIN_DECISIONS = ['approve', 'reject'] as const;
export type JoinDecision = (typeof JOIN_DECISIONS)[number];

/** A request about a group to the network. `group` is the network's id of the group. */
export type GroupRequest = GroupQuestion | GroupChange;

/** Changes nothing. */
export type GroupQuestion =
  | { readonly kind: 'describe'; readonly group: string }
  /** Asks for the link by which anyone can join. */
  | { readonly kind: 'read_invite'; readonly group: string }
  /** Asks who waits to be let in. */
  | { readonly kind: 'list_join_requests'; readonly group: string };

/** The participants of a request are different people. */
export type GroupChange =
  | { readonly kind: 'create'; readonly name: string; readonly participants: readonly ChatAddress[] }
  | { readonly kind: 'rename'; readonly group: string; readonly name: string }
  /** An empty description removes it. */
  | { readonly kind: 'set_description'; readonly group: string; readonly description: string }
  | {
      readonly kind: 'change_participants';
      readonly group: string;
      readonly change: ParticipantChange;
      readonly participants: readonly ChatAddress[];
    }
  /** Replaces the link by another one. */
  | { readonly kind: 'revoke_invite'; readonly group: string }
  /** `invite` is a link, or the code in it. */
  | { readonly kind: 'join'; readonly invite: string }
  | { readonly kind: 'leave'; readonly group: string }
  | {
      readonly kind: 'decide_join_requests';
      readonly group: string;
      readonly decision: JoinDecision;
      readonly participants: readonly ChatAddress[];
    };

const QUESTIONS: ReadonlySet<GroupRequest['kind']> = new Set<GroupQuestion['kind']>([
  'describe',
  'read_invite',
  'list_join_requests',
]);

export function isGroupQuestion(request: GroupRequest): request is GroupQuestion {
  return QUESTIONS.has(request.kind);
}

/** How many people a request lets into a group, if they all come. */
export function newPeopleOf(request: GroupRequest): number {
  switch (request.kind) {
    case 'create':
      return request.participants.length;
    case 'change_participants':
      return request.change === 'add' ? request.participants.length : 0;
    case 'decide_join_requests':
      return request.decision === 'approve' ? request.participants.length : 0;
    default:
      return 0;
  }
}

/** The network's answer about one participant of a request. */
export type ParticipantOutcome =
  | 'done'
  /** The participant already was what the request asks for. */
  | 'unchanged'
  /** The person only lets some people add them, but may join by the link of the group. */
  | 'invitation_needed'
  /** The number is not on the network or, unless the person was to be added, not in the group. */
  | 'not_found'
  | 'refused';

export interface ParticipantResult {
  readonly outcome: ParticipantOutcome;
  /** The reason of a refusal, in the words or the code of the network; null if it gives none. */
  readonly reason?: string | null;
}

export const GROUP_ROLES = ['member', 'admin', 'owner'] as const;
export type GroupRole = (typeof GROUP_ROLES)[number];

export interface GroupMember {
  readonly contact: ContactReport;
  readonly role: GroupRole;
  /** Whether this is the number of the instance. */
  readonly isSelf: boolean;
}

/** The network's description of a group. */
export interface GroupDescription {
  /** Null if the group has none. */
  readonly description: string | null;
  readonly members: readonly GroupMember[];
}

/** A person who asks to be let into a group. */
export interface JoinRequest {
  readonly contact: ContactReport;
  /** Epoch milliseconds; null if the network does not say. */
  readonly requestedAt: number | null;
}

/** Why a network refuses a request about a group. */
export type GroupRefusal = 'not_admin' | 'not_member' | 'invite_invalid' | 'group_full' | 'not_acceptable';

export type GroupOutcome =
  | ({ readonly kind: 'done' } & GroupAnswer)
  | { readonly kind: 'refused'; readonly reason: GroupRefusal }
  /** The network allows no more of these for now. */
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  /** Nothing was changed, for this reason. */
  | { readonly kind: 'not_done'; readonly reason: string };

/** The parts of an answer. Each request has those that it asks for. */
export interface GroupAnswer {
  /** The group that was described, created or joined. Absent if an admin has yet to let the number in. */
  readonly group?: GroupReport;
  readonly description?: GroupDescription;
  /** A result for each participant of the request, in this order. */
  readonly participants?: readonly ParticipantResult[];
  /** The link by which anyone can join. */
  readonly invite?: string;
  readonly joinRequests?: readonly JoinRequest[];
}
