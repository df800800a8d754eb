import type { ChatAddress } from '../domain/instance/chat-address.ts';
import type { GroupReport } from '../domain/instance/group.ts';
import type {
  GroupMember,
  GroupOutcome,
  GroupRequest,
  GroupRole,
  ParticipantChange,
  ParticipantResult,
} from '../domain/instance/group-request.ts';
import { personOf } from './person.ts';
import { admissionRule } from './recipient-rules.ts';

/** A group of the sandbox network. Absent fields get made-up values, the same each time. */
export interface SandboxGroup extends GroupReport {
  readonly networkId: string;
  readonly name: string;
  readonly participantsCount: number;
  /** Null if it has none. */
  readonly description?: string | null;
  /** Whether the instance's number may change the group; true by default. */
  readonly ownRole?: GroupRole;
  /** The other members by their numbers, or by their network ids if they hide their numbers. */
  readonly members?: Readonly<Record<string, GroupRole>>;
  readonly inviteCode?: string;
  /** Whether an admin has to let in people who join by the link; false by default. */
  readonly asksAdmin?: boolean;
  /** The numbers of people who ask to be let in, with the time in epoch milliseconds. */
  readonly asking?: Readonly<Record<string, number>>;
}

/** The network as one number sees it. */
export interface GroupNetwork {
  readonly phoneNumber: string;
  find(networkId: string): SandboxGroup | undefined;
  /** A group whose link has this code, whether the number is in it or not. */
  findByCode(code: string): SandboxGroup | undefined;
  /** Stores a group that the number is in. */
  save(group: SandboxGroup): void;
  leave(networkId: string): void;
  newName(prefix: string): string;
}

const LINK = 'https://groups.sandbox.invalid/';

export function inviteLink(code: string): string {
  return LINK + code;
}

/** Carries out a request about a group. Throws if it is about someone whose phone makes the network fall silent. */
export function manageGroup(network: GroupNetwork, request: GroupRequest): GroupOutcome {
  if (request.kind === 'create') return create(network, request);
  if (request.kind === 'join') return join(network, request.invite);
  const group = network.find(request.group);
  if (!group) return { kind: 'refused', reason: 'not_member' };
  switch (request.kind) {
    case 'describe':
      return {
        kind: 'done',
        group: reportOf(group),
        description: { description: group.description ?? null, members: membersOf(network, group) },
      };
    case 'leave':
      network.leave(group.networkId);
      return { kind: 'done' };
    default:
      return (group.ownRole ?? 'admin') === 'member'
        ? { kind: 'refused', reason: 'not_admin' }
        : change(network, group, request);
  }
}

type AdminRequest = Exclude<GroupRequest, { readonly kind: 'create' | 'join' | 'describe' | 'leave' }>;

function change(network: GroupNetwork, group: SandboxGroup, request: AdminRequest): GroupOutcome {
  switch (request.kind) {
    case 'rename':
      network.save({ ...group, name: request.name });
      return { kind: 'done' };
    case 'set_description':
      network.save({ ...group, description: request.description === '' ? null : request.description });
      return { kind: 'done' };
    case 'read_invite':
    case 'revoke_invite': {
      const kept = request.kind === 'read_invite' ? group.inviteCode : undefined;
      const inviteCode = kept ?? network.newName('');
      network.save({ ...group, inviteCode });
      return { kind: 'done', invite: inviteLink(inviteCode) };
    }
    case 'change_participants':
      return changeMembers(network, group, request);
    case 'list_join_requests': {
      const asking = Object.entries(group.asking ?? {});
      return {
        kind: 'done',
        joinRequests: asking.map(([number, requestedAt]) => ({ contact: personOf(number), requestedAt })),
      };
    }
    case 'decide_join_requests': {
      const asking = { ...group.asking };
      const members = { ...othersIn(group) };
      const participants = request.participants.map((address): ParticipantResult => {
        const person = nameOf(address);
        if (!(person in asking)) return { outcome: 'not_found' };
        delete asking[person];
        if (request.decision === 'approve') members[person] = 'member';
        return { outcome: 'done' };
      });
      network.save(withMembers({ ...group, asking }, members));
      return { kind: 'done', participants };
    }
  }
}

function create(
  network: GroupNetwork,
  { name, participants }: Extract<GroupRequest, { kind: 'create' }>,
): GroupOutcome {
  const networkId = network.newName('group-');
  const empty = { networkId, name, participantsCount: 1, ownRole: 'owner', members: {} } as const;
  const added = changeMembers(network, empty, { change: 'add', participants });
  return { ...added, group: reportOf(network.find(networkId) ?? empty) };
}

function join(network: GroupNetwork, invite: string): GroupOutcome {
  const group = network.findByCode(invite.startsWith(LINK) ? invite.slice(LINK.length) : invite);
  if (!group) return { kind: 'refused', reason: 'invite_invalid' };
  const isMember = network.find(group.networkId) !== undefined;
  if (group.asksAdmin === true && !isMember) return { kind: 'done' };
  const joined: SandboxGroup = isMember
    ? group
    : withMembers({ ...group, ownRole: 'member' }, othersIn(group));
  network.save(joined);
  return { kind: 'done', group: reportOf(joined) };
}

function changeMembers(
  network: GroupNetwork,
  group: SandboxGroup,
  {
    change: wanted,
    participants,
  }: { readonly change: ParticipantChange; readonly participants: readonly ChatAddress[] },
): Extract<GroupOutcome, { kind: 'done' }> {
  const members: Record<string, GroupRole> = { ...othersIn(group) };
  let isSilent = false;
  const results = participants.map((address): ParticipantResult => {
    const person = nameOf(address);
    const role = person === network.phoneNumber ? (group.ownRole ?? 'admin') : members[person];
    const rule = wanted === 'add' ? admissionRule(person) : 'admit';
    if (rule === 'no_response') isSilent = true;
    else if (rule !== 'admit') return rule;
    const after = roleAfter(wanted, role);
    if (typeof after !== 'string') return after;
    if (after === 'none') delete members[person];
    else members[person] = after;
    return { outcome: 'done' };
  });
  network.save(withMembers(group, members));
  if (isSilent) throw new Error('The sandbox network did not respond.');
  return { kind: 'done', participants: results };
}

function roleAfter(
  change: ParticipantChange,
  role: GroupRole | undefined,
): GroupRole | 'none' | ParticipantResult {
  if (change === 'add') return role === undefined ? 'member' : { outcome: 'unchanged' };
  if (role === undefined) return { outcome: 'not_found' };
  if (role === 'owner' && change !== 'promote')
    return { outcome: 'refused', reason: 'It is the owner of the group.' };
  if (change === 'remove') return 'none';
  const wanted = change === 'promote' ? 'admin' : 'member';
  return role === wanted || role === 'owner' ? { outcome: 'unchanged' } : wanted;
}

function nameOf({ to, contactNetworkId }: ChatAddress): string {
  return to === '' ? (contactNetworkId ?? '') : to;
}

function withMembers(group: SandboxGroup, members: Readonly<Record<string, GroupRole>>): SandboxGroup {
  return { ...group, members, participantsCount: Object.keys(members).length + 1 };
}

/** The members except the instance's number; people are made up for a group that came with only their count. */
function othersIn({ members, participantsCount }: SandboxGroup): Readonly<Record<string, GroupRole>> {
  if (members) return members;
  const numbers = Array.from(
    { length: Math.max(0, participantsCount - 1) },
    (_, index) => `1555020${String(1_100 + index)}`,
  );
  return Object.fromEntries(numbers.map((number) => [number, 'member'] as const));
}

function membersOf({ phoneNumber }: GroupNetwork, group: SandboxGroup): readonly GroupMember[] {
  const own: GroupMember = {
    contact: personOf(phoneNumber),
    role: group.ownRole ?? 'admin',
    isSelf: true,
  };
  const others = Object.entries(othersIn(group)).map(([person, role]): GroupMember => {
    const isNumber = /^\d+$/u.test(person);
    const contact = isNumber ? personOf(person) : personOf(null, { networkId: person });
    return { contact, role, isSelf: false };
  });
  return [own, ...others];
}

function reportOf({ networkId, name, participantsCount }: SandboxGroup): GroupReport {
  return { networkId, name, participantsCount };
}
