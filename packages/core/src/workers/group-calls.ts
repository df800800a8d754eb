import { GROUP_CHANGE_KEPT_MS } from '../domain/instance/group-change-limits.ts';
import { isGroupQuestion, newPeopleOf } from '../domain/instance/group-request.ts';
import type {
  GroupAnswer,
  GroupChange,
  GroupOutcome,
  GroupQuestion,
} from '../domain/instance/group-request.ts';
import { NO_METHOD } from '../domain/instance/instance-call.ts';
import type {
  CallResponse,
  GroupCall,
  GroupCallResult,
  GroupPerson,
} from '../domain/instance/instance-call.ts';
import type { ContactReport } from '../domain/contact/contact.ts';
import type { GroupReport } from '../domain/instance/group.ts';
import { replayOf } from '../services/calls/group-change-replay.ts';
import { knownContact } from '../services/contacts.ts';
import type { ServiceContext } from '../services/context.ts';
import { saveGroups } from '../services/instances/groups.ts';
import type { OpenConnection } from './connections.ts';
import { createRateLimit } from './rate-limit.ts';
import { createTurns } from './turns.ts';

/**
 * How often an instance may ask about groups. A person who looks at groups asks a few times a minute; networks slow down
 * numbers that ask all the time.
 */
const QUESTION_LIMIT = { perMinute: 20, burst: 20 };
/** How many people with hidden numbers get a contact in one answer. The others are listed without an id. */
const NEW_CONTACTS_MAX = 100;

/** Carries out calls about groups: questions within a rate, and changes one after another within stored limits. */
export interface GroupCalls {
  manage(open: OpenConnection, call: GroupCall, until: number): Promise<CallResponse>;
}

type Done = Extract<GroupOutcome, { kind: 'done' }>;

export function createGroupCalls(context: ServiceContext): GroupCalls {
  const { storage, clock, logger, settings } = context;
  const turns = createTurns(clock, 'changes of groups');
  const questionLimit = createRateLimit(clock, QUESTION_LIMIT);

  const ask = async (open: OpenConnection, question: GroupQuestion): Promise<CallResponse> => {
    const outcome = await open.connection.manageGroup?.(question);
    if (outcome?.kind !== 'done') return notDone(outcome);
    if (outcome.group) await saveGroups(context, open, [outcome.group]);
    return { kind: 'done', group: await resultOf(context, open, outcome) };
  };

  /** Makes a change that is stored as begun. From here on, whatever fails leaves its outcome unknown. */
  const change = async (open: OpenConnection, id: string, request: GroupChange): Promise<CallResponse> => {
    try {
      const before = 'group' in request ? await knownSize(context, open, request.group) : null;
      const outcome = await open.connection.manageGroup?.(request);
      if (outcome?.kind !== 'done') {
        await storage.groupChanges.finish(id, null);
        return notDone(outcome);
      }
      await saveGroups(context, open, changedGroups(request, outcome, before));
      const response = { kind: 'done', group: await resultOf(context, open, outcome) } as const;
      await storage.groupChanges.finish(id, JSON.stringify(response.group));
      return response;
    } catch (error) {
      logger.warn(
        { err: error, instanceId: open.instance.id, request: request.kind },
        'the network did not say whether it changed a group: the request got 409, and the change is not repeated; look at the group',
      );
      return { kind: 'unknown', error: error instanceof Error ? error.message : 'the gateway failed' };
    }
  };

  const begin = async (
    open: OpenConnection,
    { id, key }: GroupCall,
    request: GroupChange,
  ): Promise<{ readonly response: CallResponse; readonly hasAsked: boolean }> => {
    const { workspaceId, id: instanceId } = open.instance;
    const now = clock.now();
    const decision = await storage.groupChanges.begin(
      { id, workspaceId, instanceId, now, newPeople: newPeopleOf(request), key },
      settings.groupLimits,
    );
    switch (decision.kind) {
      case 'known':
        return { response: replayOf(decision.change, key), hasAsked: false };
      case 'limited': {
        const retryAfterMs = Math.min(decision.freeAt - now, GROUP_CHANGE_KEPT_MS);
        return { response: { kind: 'limited', limit: decision.limit, retryAfterMs }, hasAsked: false };
      }
      case 'begun':
        return { response: await change(open, id, request), hasAsked: true };
    }
  };

  return {
    async manage(open, call, until) {
      if (!open.connection.manageGroup) return NO_METHOD;
      const { request } = call;
      return isGroupQuestion(request)
        ? questionLimit(open.lease, () => ask(open, request))
        : turns.take(open.lease, until, () => begin(open, call, request));
    },
  };
}

function notDone(outcome: Exclude<GroupOutcome, Done> | undefined): CallResponse {
  switch (outcome?.kind) {
    case 'refused':
      return outcome;
    case 'limited':
      return { ...outcome, limit: 1 };
    case 'not_done':
      return { kind: 'failed', error: outcome.reason };
    case undefined:
      return NO_METHOD;
  }
}

async function knownSize(
  { storage }: ServiceContext,
  { instance }: OpenConnection,
  networkId: string,
): Promise<number> {
  return (await storage.groups.findByNetworkId(instance.id, networkId))?.participantsCount ?? 0;
}

/**
 * The groups as they are after a change, so that lists show it immediately. `before` is the number of participants before
 * it; the number after it follows from the results, until the network reports it.
 */
function changedGroups(
  request: GroupChange,
  { group, participants = [] }: GroupAnswer,
  before: number | null,
): readonly GroupReport[] {
  if (group) return [group];
  const done = participants.filter(({ outcome }) => outcome === 'done').length;
  const resized = (networkId: string, by: number): readonly GroupReport[] =>
    by === 0 || before === null || before === 0
      ? []
      : [{ networkId, participantsCount: Math.max(0, before + by) }];
  switch (request.kind) {
    case 'rename':
      return [{ networkId: request.group, name: request.name }];
    case 'leave':
      return [{ networkId: request.group, isMember: false }];
    case 'change_participants':
      if (request.change === 'add') return resized(request.group, done);
      return request.change === 'remove' ? resized(request.group, -done) : [];
    case 'decide_join_requests':
      return request.decision === 'approve' ? resized(request.group, done) : [];
    default:
      return [];
  }
}

async function resultOf(
  context: ServiceContext,
  open: OpenConnection,
  { group, description, participants, invite, joinRequests }: GroupAnswer,
): Promise<GroupCallResult> {
  const personOf = peopleOf(context, open);
  const stored = group && (await context.storage.groups.findByNetworkId(open.instance.id, group.networkId));
  const members = [];
  for (const { contact, role, isSelf } of description?.members ?? [])
    members.push({ ...(await personOf(contact, isSelf)), role, isSelf });
  const asking = [];
  for (const { contact, requestedAt } of joinRequests ?? [])
    asking.push({ ...(await personOf(contact)), requestedAt });
  return {
    groupId: stored?.id ?? null,
    ...(description && { description: { description: description.description, members } }),
    ...(participants && { participants }),
    ...(invite !== undefined && { invite }),
    ...(joinRequests && { joinRequests: asking }),
  };
}

/** Someone whose number is hidden becomes a contact, because nothing else names them. */
function peopleOf(
  context: ServiceContext,
  open: OpenConnection,
): (contact: ContactReport, isSelf?: boolean) => Promise<GroupPerson> {
  let left = NEW_CONTACTS_MAX;
  return async (contact, isSelf = false) => {
    const { phoneNumber, name } = contact;
    if (isSelf || phoneNumber !== null || left === 0) return { phoneNumber, contactId: null, name };
    left -= 1;
    const known = await knownContact(context, open, contact);
    return {
      phoneNumber: known?.phoneNumber ?? null,
      contactId: known?.id ?? null,
      name: known?.name ?? name,
    };
  };
}
