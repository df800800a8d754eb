import { checkIdempotencyKey } from '../../domain/idempotency/idempotency.ts';
import { GROUP_CHANGE_KEPT_MS } from '../../domain/instance/group-change-limits.ts';
import type { Group } from '../../domain/instance/group.ts';
import type { GroupRequest, ParticipantResult } from '../../domain/instance/group-request.ts';
import type { ChatAddress } from '../../domain/instance/chat-address.ts';
import type { GroupCall, GroupCallResult } from '../../domain/instance/instance-call.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import { isId } from '../../domain/id.ts';
import { parseRecipient } from '../../domain/message/recipient.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { Workspace } from '../../domain/workspace/workspace.ts';
import { checkMaySend } from '../../domain/workspace/plan-rules.ts';
import {
  groupInput,
  joinDecisionInput,
  joinGroupInput,
  newGroupInput,
  participantsInput,
} from '../../inputs/groups.ts';
import { invalid, readInput } from '../../inputs/read-input.ts';
import {
  groupDetailResource,
  groupResource,
  joinRequestResource,
  participantResultResource,
} from '../../resources/group.ts';
import type {
  GroupDetailResource,
  GroupInviteResource,
  GroupResource,
  JoinedGroupResource,
  JoinRequestResource,
  NewGroupResource,
  ParticipantResultResource,
  ResultOfParticipant,
} from '../../resources/group.ts';
import { findActiveWorkspace } from '../admin/workspaces.ts';
import type { ServiceContext } from '../context.ts';
import { findInstance } from '../instances/instances.ts';
import { findAddress, noGroup } from '../messages/check-recipient.ts';
import { callInstance, checkCallable, resultOfCall } from './call-instance.ts';
import type { Done } from './call-instance.ts';
import { replayOf } from './group-change-replay.ts';

/** The id of an instance or a group, in its workspace. */
interface Named {
  readonly workspaceId: string;
  readonly id: string;
}

/** Creates a group, at most once for each idempotency key. */
export async function createGroup(
  context: ServiceContext,
  { workspaceId, id, idempotencyKey }: Named & { readonly idempotencyKey: string | null },
  input: unknown,
): Promise<Result<{ readonly group: NewGroupResource; readonly replayed: boolean }>> {
  const read = readInput(newGroupInput, input);
  if (!read.ok) return read;
  const { name, participants } = read.value;
  const key = keyOf(context, idempotencyKey, ['create', id, name, participants]);
  if (!key.ok) return key;
  const workspace = await findActiveWorkspace(context, workspaceId);
  if (!workspace.ok) return workspace;
  const replay = key.value && (await findReplay(context, workspaceId, key.value));
  if (replay && !replay.ok) return replay;
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return found;
  const caller = { workspace: workspace.value, instance: found.value };
  const addresses = await addressesOf(context, caller.instance, participants);
  if (!addresses.ok) return addresses;
  const request = { kind: 'create', name, participants: distinct(addresses.value) } as const;
  const done = replay ?? (await call(context, caller, request, key.value));
  if (!done.ok) return done;
  const { group: result = {}, isReplay = false } = done.value;
  const group = await groupOf(context, workspaceId, result);
  if (!group) return noGroup();
  const rows = resultsFor(participants, addresses.value, result);
  const added = rows.map((row) => participantResultResource('add', row));
  return ok({ group: { ...groupResource(group), participants: added }, replayed: isReplay });
}

/** The network's description of a group. */
export async function describeGroup(
  context: ServiceContext,
  named: Named,
): Promise<Result<GroupDetailResource>> {
  const asked = await ask(context, named, ({ networkId }) => ok({ kind: 'describe', group: networkId }));
  if (!asked.ok) return asked;
  const { group, result } = asked.value;
  return result.description ? ok(groupDetailResource(group, result.description)) : noAnswer();
}

/** Changes the name or the description of a group, or both, one after the other. */
export async function updateGroup(
  context: ServiceContext,
  named: Named,
  input: unknown,
): Promise<Result<GroupResource>> {
  const read = readInput(groupInput, input);
  if (!read.ok) return read;
  const { name, description } = read.value;
  if (name !== undefined) {
    const renamed = await ask(context, named, ({ networkId }) =>
      ok({ kind: 'rename', group: networkId, name }),
    );
    if (!renamed.ok || description === undefined) return mapped(renamed, ({ group }) => groupResource(group));
  }
  const described = await ask(context, named, ({ networkId }) =>
    ok({ kind: 'set_description', group: networkId, description: description ?? '' }),
  );
  return mapped(described, ({ group }) => groupResource(group));
}

/** Adds people to a group, removes them, or makes them admins or no longer. */
export async function changeParticipants(
  context: ServiceContext,
  named: Named,
  input: unknown,
): Promise<Result<readonly ParticipantResultResource[]>> {
  const read = readInput(participantsInput, input);
  if (!read.ok) return read;
  const { change, participants } = read.value;
  const results = await askAbout(context, { named, participants }, (group, people) => ({
    kind: 'change_participants',
    group,
    change,
    participants: people,
  }));
  return mapped(results, (rows) => rows.map((row) => participantResultResource(change, row)));
}

/** The people who ask to be let into a group. */
export async function listJoinRequests(
  context: ServiceContext,
  named: Named,
): Promise<Result<readonly JoinRequestResource[]>> {
  const asked = await ask(context, named, ({ networkId }) =>
    ok({ kind: 'list_join_requests', group: networkId }),
  );
  if (!asked.ok) return asked;
  const { joinRequests } = asked.value.result;
  return joinRequests ? ok(joinRequests.map(joinRequestResource)) : noAnswer();
}

/** Lets people into a group who ask for it, or turns them away. */
export async function decideJoinRequests(
  context: ServiceContext,
  named: Named,
  input: unknown,
): Promise<Result<readonly ParticipantResultResource[]>> {
  const read = readInput(joinDecisionInput, input);
  if (!read.ok) return read;
  const { decision, participants } = read.value;
  const results = await askAbout(context, { named, participants }, (group, people) => ({
    kind: 'decide_join_requests',
    group,
    decision,
    participants: people,
  }));
  return mapped(results, (rows) => rows.map((row) => participantResultResource(decision, row)));
}

/** The link by which anyone can join a group. With `revoke_invite`, a new one, and the old one leads nowhere. */
export async function groupInvite(
  context: ServiceContext,
  named: Named,
  kind: 'read_invite' | 'revoke_invite',
): Promise<Result<GroupInviteResource>> {
  const asked = await ask(context, named, ({ networkId }) => ok({ kind, group: networkId }));
  if (!asked.ok) return asked;
  const { invite: link } = asked.value.result;
  return link === undefined ? noAnswer() : ok({ link });
}

/** Makes the number of an instance join a group. */
export async function joinGroup(
  context: ServiceContext,
  { workspaceId, id }: Named,
  input: unknown,
): Promise<Result<JoinedGroupResource>> {
  const read = readInput(joinGroupInput, input);
  if (!read.ok) return read;
  const workspace = await findActiveWorkspace(context, workspaceId);
  if (!workspace.ok) return workspace;
  const found = await findInstance(context, workspaceId, id);
  if (!found.ok) return found;
  const caller = { workspace: workspace.value, instance: found.value };
  const joined = await call(context, caller, { kind: 'join', invite: read.value.invite }, null);
  if (!joined.ok) return joined;
  const group = await groupOf(context, workspaceId, joined.value.group ?? {});
  return ok({ outcome: group ? 'joined' : 'requested', group: group && groupResource(group) });
}

/** Makes the number of the instance leave a group. */
export async function leaveGroup(context: ServiceContext, named: Named): Promise<Result<true>> {
  const found = await findGroup(context, named);
  if (!found.ok) return found;
  const { group, ...caller } = found.value;
  const left = await call(context, caller, { kind: 'leave', group: group.networkId }, null);
  return left.ok ? ok(true) : left;
}

/** The instance that a request goes to, with its workspace. */
interface Caller {
  readonly workspace: Workspace;
  readonly instance: Instance;
}

interface FoundGroup extends Caller {
  readonly group: Group;
}

async function findGroup(context: ServiceContext, { workspaceId, id }: Named): Promise<Result<FoundGroup>> {
  const workspace = await findActiveWorkspace(context, workspaceId);
  if (!workspace.ok) return workspace;
  const group = isId('grp', id) ? await context.storage.groups.findInWorkspace(workspaceId, id) : null;
  if (!group) return noGroup();
  const found = await findInstance(context, workspaceId, group.instanceId);
  return found.ok ? ok({ group, workspace: workspace.value, instance: found.value }) : noGroup();
}

/** Makes the request about a group, and returns the group as it is stored afterwards. */
async function ask(
  context: ServiceContext,
  named: Named,
  requestOf: (group: Group, instance: Instance) => Result<GroupRequest> | Promise<Result<GroupRequest>>,
): Promise<Result<{ readonly group: Group; readonly result: GroupCallResult }>> {
  const found = await findGroup(context, named);
  if (!found.ok) return found;
  const { group, ...caller } = found.value;
  const request = await requestOf(group, caller.instance);
  if (!request.ok) return request;
  const done = await call(context, caller, request.value, null);
  if (!done.ok) return done;
  const after = await context.storage.groups.findInWorkspace(named.workspaceId, group.id);
  return ok({ group: after ?? group, result: done.value.group ?? {} });
}

/** Makes a request about participants of a group. Returns a result for each that was given, in this order. */
async function askAbout(
  context: ServiceContext,
  { named, participants }: { readonly named: Named; readonly participants: readonly string[] },
  requestOf: (group: string, people: readonly ChatAddress[]) => GroupRequest,
): Promise<Result<readonly ResultOfParticipant[]>> {
  let addresses: readonly ChatAddress[] = [];
  const asked = await ask(context, named, async ({ networkId }, instance) => {
    const found = await addressesOf(context, instance, participants);
    return mapped(found, (all) => {
      addresses = all;
      return requestOf(networkId, distinct(all));
    });
  });
  return mapped(asked, ({ result }) => resultsFor(participants, addresses, result));
}

/** Checks the plan and the state, and asks the connection. */
async function call(
  context: ServiceContext,
  { workspace, instance }: Caller,
  request: GroupRequest,
  key: GroupCall['key'],
): Promise<Result<Done>> {
  const allowed = checkMaySend(workspace.plan);
  if (!allowed.ok) return allowed;
  const callable = checkCallable(context, instance, 'group_admin');
  if (!callable.ok) return callable;
  const id = context.newId('opr', context.clock.now());
  return callInstance(context, instance, { kind: 'group_admin', id, request, key });
}

/** The key of a request with its fingerprint; null if it has no key. */
function keyOf(
  { crypto }: ServiceContext,
  idempotencyKey: string | null,
  content: readonly unknown[],
): Result<GroupCall['key']> {
  if (idempotencyKey === null) return ok(null);
  const key = checkIdempotencyKey(idempotencyKey);
  return mapped(key, (checked) => ({ key: checked, fingerprint: crypto.sha256(JSON.stringify(content)) }));
}

/** The outcome of the earlier request with the key; null if the key is new. */
async function findReplay(
  context: ServiceContext,
  workspaceId: string,
  key: NonNullable<GroupCall['key']>,
): Promise<Result<Done> | null> {
  const { storage, clock } = context;
  const since = clock.now() - GROUP_CHANGE_KEPT_MS;
  const known = await storage.groupChanges.findByKey(workspaceId, key.key, since);
  return known && resultOfCall(context, replayOf(known, key));
}

/** The addresses of participants; a refusal names each entry that is neither a number nor a known contact. */
async function addressesOf(
  context: ServiceContext,
  instance: Instance,
  participants: readonly string[],
): Promise<Result<readonly ChatAddress[]>> {
  const addresses: ChatAddress[] = [];
  const wrong: string[] = [];
  for (const [index, participant] of participants.entries()) {
    const recipient = parseRecipient(participant);
    const address =
      recipient.ok && recipient.value.kind !== 'group'
        ? await findAddress(context, instance, recipient.value)
        : null;
    if (address?.ok) addresses.push(address.value);
    else
      wrong.push(`Entry ${index + 1} must be a phone number with its country code, or the id of a contact.`);
  }
  return wrong.length > 0 ? invalid({ participants: wrong }) : ok(addresses);
}

function distinct(addresses: readonly ChatAddress[]): readonly ChatAddress[] {
  return [...new Map(addresses.map((address) => [personOf(address), address])).values()];
}

function personOf({ to, contactNetworkId }: ChatAddress): string {
  return contactNetworkId ?? to;
}

/** Assigns the results of different people to the participants that were given. */
function resultsFor(
  given: readonly string[],
  addresses: readonly ChatAddress[],
  { participants = [] }: GroupCallResult,
): readonly ResultOfParticipant[] {
  const results = new Map<string, ParticipantResult | undefined>(
    distinct(addresses).map((address, index) => [personOf(address), participants[index]]),
  );
  return addresses.map((address, index) => ({
    participant: given[index] ?? '',
    ...(results.get(personOf(address)) ?? { outcome: 'refused', reason: 'The network did not say.' }),
  }));
}

async function groupOf(
  { storage }: ServiceContext,
  workspaceId: string,
  { groupId = null }: GroupCallResult,
): Promise<Group | null> {
  return groupId === null ? null : storage.groups.findInWorkspace(workspaceId, groupId);
}

function noAnswer(): Result<never> {
  return refuse('GATEWAY_ERROR', 'The messaging network did not say. Repeat the request later.');
}

function mapped<Value, Other>(result: Result<Value>, to: (value: Value) => Other): Result<Other> {
  return result.ok ? ok(to(result.value)) : result;
}
