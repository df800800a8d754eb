import type {
  ChatAddress,
  GroupOutcome,
  GroupRefusal,
  GroupReport,
  GroupRequest,
  GroupRole,
  ParticipantResult,
} from '@trunkline/core/spi/gateway';
import {
  areJidsSameUser,
  generateMessageIDV2,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidEncode,
  jidNormalizedUser,
  isLidUser,
} from '@whiskeysockets/baileys';
import type { BinaryNode, GroupMetadata, GroupParticipant } from '@whiskeysockets/baileys';
import { contactReport, isMe } from '../inbound/contact-report.ts';
import type { GroupDirectory } from '../inbound/group-directory.ts';
import { storable } from '../inbound/storable-text.ts';
import type { InTime } from '../socket/query-time.ts';
import { briefly, queryErrorOf } from '../socket/status-code.ts';
import { lookUpNumbers } from './look-up-numbers.ts';
import type { Search } from './recipients.ts';

const ANY_GROUP = '@g.us';
const LINK = 'https://chat.whatsapp.com/';
/** When to repeat a request that WhatsApp refuses because of too many. */
const RETRY_AFTER_MS = 60_000;

export interface GroupDesk extends Pick<Search, 'socket' | 'recipients'> {
  readonly inTime: InTime;
  readonly directory: GroupDirectory;
}

/**
 * Carries out a request about a group with the queries of whatsmeow's `group.go`. Baileys' own calls lose the errors of
 * the participants of a new group, and whether an admin has yet to let the number in. Rejects if a change may have
 * reached WhatsApp without a response.
 */
export async function manageGroup(desk: GroupDesk, request: GroupRequest): Promise<GroupOutcome> {
  let mayBeWritten = false;
  const writing = (): void => {
    mayBeWritten = true;
  };
  try {
    const outcome = await carryOut(desk, request, writing);
    if ('group' in request && mayBeWritten) desk.directory.delete(request.group);
    return outcome;
  } catch (error) {
    const code = queryErrorOf(error);
    if (code !== null) return refusalOf(request, code);
    if (mayBeWritten) throw error;
    return { kind: 'not_done', reason: briefly(error) };
  }
}

type Writing = () => void;

async function carryOut(desk: GroupDesk, request: GroupRequest, writing: Writing): Promise<GroupOutcome> {
  switch (request.kind) {
    case 'describe':
      return describe(desk, request.group);
    case 'create':
      return create(desk, request, writing);
    case 'rename':
      await change(desk, request.group, writing, text('subject', request.name));
      return { kind: 'done' };
    case 'set_description':
      return setDescription(desk, request, writing);
    case 'change_participants': {
      const { group, change: tag } = request;
      const people = await peopleOf(desk, request.participants);
      const members = tag === 'add' ? [] : (await readGroup(desk, group)).participants;
      const jids = people.map((jid) => jid && (members.find((member) => isNamed(member, jid))?.id ?? jid));
      const named = await participantNodes(desk, jids, tag === 'add');
      const results = await changePeople(
        desk,
        { group, wanted: jids, nodes: [{ tag, attrs: {}, content: named }] },
        writing,
      );
      return { kind: 'done', participants: results(tag) };
    }
    case 'read_invite':
      return inviteIn(await ask(desk, request.group, 'get', { tag: 'invite', attrs: {} }));
    case 'revoke_invite':
      return inviteIn(await change(desk, request.group, writing, { tag: 'invite', attrs: {} }));
    case 'join':
      return join(desk, request.invite, writing);
    case 'leave': {
      const group = { tag: 'group', attrs: { id: request.group } };
      await change(desk, ANY_GROUP, writing, { tag: 'leave', attrs: {}, content: [group] });
      return { kind: 'done' };
    }
    case 'list_join_requests': {
      const asking = await readAsking(desk, request.group);
      const joinRequests = [];
      for (const { attrs } of asking) {
        const contact = await contactReport(desk.socket, { jids: namesIn(attrs) });
        const at = Number(attrs['request_time']);
        if (contact) joinRequests.push({ contact, requestedAt: at > 0 ? at * 1_000 : null });
      }
      return { kind: 'done', joinRequests };
    }
    case 'decide_join_requests': {
      const { group, decision: tag } = request;
      const people = await peopleOf(desk, request.participants);
      const asking = await readAsking(desk, group);
      const jids = people.map((jid) => {
        const asks = jid === null ? undefined : asking.find(({ attrs }) => isSame(namesIn(attrs), jid));
        return asks?.attrs['jid'] ?? null;
      });
      const named = await participantNodes(desk, jids, false);
      const action = {
        tag: 'membership_requests_action',
        attrs: {},
        content: [{ tag, attrs: {}, content: named }],
      };
      const results = await changePeople(desk, { group, wanted: jids, nodes: [action] }, writing);
      return { kind: 'done', participants: results('membership_requests_action', tag) };
    }
  }
}

async function describe(desk: GroupDesk, group: string): Promise<GroupOutcome> {
  const metadata = await readGroup(desk, group);
  const members = [];
  for (const member of metadata.participants) {
    const contact = await contactReport(desk.socket, {
      jids: [member.id, member.phoneNumber, member.lid],
      username: member.username,
    });
    const isSelf = [member.id, member.phoneNumber, member.lid].some((jid) => isMe(desk.socket, jid));
    if (contact) members.push({ contact, role: roleOf(member), isSelf });
  }
  return {
    kind: 'done',
    group: reportOf(metadata),
    description: { description: storable(metadata.desc) || null, members },
  };
}

async function create(
  desk: GroupDesk,
  { name, participants }: Extract<GroupRequest, { kind: 'create' }>,
  writing: Writing,
): Promise<GroupOutcome> {
  const jids = await peopleOf(desk, participants);
  const content = await participantNodes(desk, jids, true);
  const attrs = { subject: name, key: generateMessageIDV2() };
  const response = await change(desk, ANY_GROUP, writing, { tag: 'create', attrs, content });
  const node = getBinaryNodeChild(response, 'group');
  const results = resultsIn(node, jids);
  const added = results.filter(({ outcome }) => outcome === 'done').length;
  const id = node?.attrs['id'];
  if (!id) throw new Error('WhatsApp did not name the new group.');
  return {
    kind: 'done',
    group: { networkId: jidOfGroup(id), name, participantsCount: added + 1 },
    participants: results,
  };
}

async function setDescription(
  desk: GroupDesk,
  { group, description }: Extract<GroupRequest, { kind: 'set_description' }>,
  writing: Writing,
): Promise<GroupOutcome> {
  const { descId } = await readGroup(desk, group);
  const isRemoved = description === '';
  await change(desk, group, writing, {
    tag: 'description',
    attrs: {
      id: generateMessageIDV2(),
      ...(descId && { prev: descId }),
      ...(isRemoved && { delete: 'true' }),
    },
    ...(!isRemoved && { content: [text('body', description)] }),
  });
  return { kind: 'done' };
}

async function join(desk: GroupDesk, invite: string, writing: Writing): Promise<GroupOutcome> {
  const [code = ''] = (invite.startsWith(LINK) ? invite.slice(LINK.length) : invite).split(/[/?#]/u);
  const node = { tag: 'invite', attrs: { code } };
  const response = await change(desk, ANY_GROUP, writing, node).catch(async (error: unknown) => {
    // The number is in the group already: the link names it.
    if (queryErrorOf(error) !== 409) throw error;
    return ask(desk, ANY_GROUP, 'get', node);
  });
  const attrs = getBinaryNodeChild(response, 'group')?.attrs ?? {};
  const jid = attrs['jid'] ?? (attrs['id'] && jidOfGroup(attrs['id']));
  if (!jid) return { kind: 'done' };
  const group = await readGroup(desk, jid).then(reportOf, (): GroupReport => ({ networkId: jid }));
  return { kind: 'done', group };
}

interface PeopleChange {
  readonly group: string;
  readonly wanted: readonly (string | null)[];
  readonly nodes: BinaryNode[];
}

/** Sends nothing if there is no one to change. Returns the results below the tags of the response. */
async function changePeople(
  desk: GroupDesk,
  { group, wanted, nodes }: PeopleChange,
  writing: Writing,
): Promise<(...tags: readonly string[]) => readonly ParticipantResult[]> {
  const [node] = nodes;
  const response =
    node && wanted.some((jid) => jid !== null) ? await change(desk, group, writing, node) : undefined;
  return (...tags) => {
    let below: BinaryNode | undefined = response;
    for (const tag of tags) below = getBinaryNodeChild(below, tag);
    return resultsIn(below, wanted);
  };
}

/** The results for these people, in their order; null stands for someone who is not there. */
function resultsIn(
  node: BinaryNode | undefined,
  wanted: readonly (string | null)[],
): readonly ParticipantResult[] {
  const answers = getBinaryNodeChildren(node, 'participant');
  return wanted.map((jid): ParticipantResult => {
    if (jid === null) return { outcome: 'not_found' };
    const answer = answers.find(({ attrs }) => isSame(namesIn(attrs), jid));
    return answer ? resultOf(answer.attrs['error']) : { outcome: 'refused', reason: 'WhatsApp did not say.' };
  });
}

function resultOf(error: string | undefined): ParticipantResult {
  if (error === undefined || error === '200') return { outcome: 'done' };
  return RESULTS[error] ?? { outcome: 'refused', reason: `WhatsApp refused with the code ${error}.` };
}

const RESULTS: Readonly<Record<string, ParticipantResult>> = {
  '401': { outcome: 'refused', reason: 'The person has blocked the number.' },
  '403': { outcome: 'invitation_needed' },
  '404': { outcome: 'not_found' },
  '408': { outcome: 'refused', reason: 'The person has lately left the group.' },
  '409': { outcome: 'unchanged' },
  '419': { outcome: 'refused', reason: 'The group is full.' },
};

/** WhatsApp's refusal of a whole request. A code that says nothing about the request leaves it open to repeat it. */
function refusalOf({ kind }: GroupRequest, code: number): GroupOutcome {
  if (code === 429) return { kind: 'limited', retryAfterMs: RETRY_AFTER_MS };
  const reason = reasonOf(kind, code);
  return reason
    ? { kind: 'refused', reason }
    : { kind: 'not_done', reason: `WhatsApp refused with the code ${code}` };
}

function reasonOf(kind: GroupRequest['kind'], code: number): GroupRefusal | undefined {
  if (code === 419) return 'group_full';
  if (kind === 'join') return [401, 403, 404, 406, 410].includes(code) ? 'invite_invalid' : undefined;
  if (code === 406) return 'not_acceptable';
  if (code === 404) return 'not_member';
  // WhatsApp describes a group, and its link, only to members.
  if (code === 403) return ['describe', 'read_invite', 'leave'].includes(kind) ? 'not_member' : 'not_admin';
  return code === 401 ? 'not_admin' : undefined;
}

/** The JIDs of people, in their order; null for a number that is not on WhatsApp. */
async function peopleOf(
  { socket, recipients, inTime }: GroupDesk,
  participants: readonly ChatAddress[],
): Promise<readonly (string | null)[]> {
  const unknown: string[] = [];
  for (const { to, contactNetworkId } of participants)
    if (!contactNetworkId && !(await recipients.get(to))) unknown.push(to);
  if (unknown.length > 0) await lookUpNumbers({ socket, recipients, inTime }, unknown);
  const jids: (string | null)[] = [];
  for (const { to, contactNetworkId } of participants)
    jids.push(
      contactNetworkId ? jidNormalizedUser(contactNetworkId) : ((await recipients.get(to))?.jid ?? null),
    );
  return jids;
}

/** WhatsApp adds someone with a hidden id by their number, if it is known. */
async function participantNodes(
  { socket }: GroupDesk,
  jids: readonly (string | null)[],
  withNumbers: boolean,
): Promise<BinaryNode[]> {
  const nodes: BinaryNode[] = [];
  for (const jid of jids) {
    if (jid === null) continue;
    const number =
      withNumbers && isLidUser(jid) ? await socket.signalRepository.lidMapping.getPNForLID(jid) : null;
    const attrs = { jid, ...(number && { phone_number: jidNormalizedUser(number) }) };
    nodes.push({ tag: 'participant', attrs });
  }
  return nodes;
}

async function readGroup({ socket, inTime }: GroupDesk, group: string): Promise<GroupMetadata> {
  return inTime("WhatsApp's description of a group", socket.groupMetadata(group));
}

async function readAsking(desk: GroupDesk, group: string): Promise<readonly BinaryNode[]> {
  const tag = 'membership_approval_requests';
  const response = await ask(desk, group, 'get', { tag, attrs: {} });
  return getBinaryNodeChildren(getBinaryNodeChild(response, tag), 'membership_approval_request');
}

async function change(desk: GroupDesk, to: string, writing: Writing, node: BinaryNode): Promise<BinaryNode> {
  writing();
  return ask(desk, to, 'set', node);
}

async function ask(
  { socket, inTime }: GroupDesk,
  to: string,
  type: 'get' | 'set',
  node: BinaryNode,
): Promise<BinaryNode> {
  const query = { tag: 'iq', attrs: { to, type, xmlns: 'w:g2' }, content: [node] };
  const response: BinaryNode | undefined = await inTime(
    "WhatsApp's response about a group",
    socket.query(query),
  );
  if (!response) throw new Error('WhatsApp did not respond about a group.');
  return response;
}

function inviteIn(response: BinaryNode): GroupOutcome {
  const code = getBinaryNodeChild(response, 'invite')?.attrs['code'];
  return code
    ? { kind: 'done', invite: LINK + code }
    : { kind: 'not_done', reason: 'WhatsApp did not say which link the group has' };
}

function text(tag: string, content: string): BinaryNode {
  return { tag, attrs: {}, content: Buffer.from(content, 'utf8') };
}

function namesIn(attrs: BinaryNode['attrs']): readonly (string | undefined)[] {
  return [attrs['jid'], attrs['phone_number'], attrs['lid']];
}

function isSame(names: readonly (string | undefined)[], jid: string): boolean {
  return names.some((name) => areJidsSameUser(name, jid));
}

function isNamed({ id, phoneNumber, lid }: GroupParticipant, jid: string): boolean {
  return isSame([id, phoneNumber, lid], jid);
}

function roleOf({ admin }: GroupParticipant): GroupRole {
  if (admin === 'superadmin') return 'owner';
  return admin === 'admin' ? 'admin' : 'member';
}

function jidOfGroup(id: string): string {
  return id.includes('@') ? id : jidEncode(id, 'g.us');
}

function reportOf({ id, subject, size, participants }: GroupMetadata): GroupReport {
  return {
    networkId: id,
    name: storable(subject) ?? undefined,
    participantsCount: (size ?? participants.length) || undefined,
  };
}
