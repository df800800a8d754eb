import { randomBytes } from 'node:crypto';
import type { Contact } from '../directory/contact.ts';
import type { GroupChat } from '../directory/group-chat.ts';
import { notify } from '../directory/notify-group.ts';
import { child, children, seconds, stanza, textOf } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Connection } from './connection.ts';

type Responder = (connection: Connection, query: Stanza) => void;

const ANY_GROUP = '@g.us';

/** The queries that ask about groups or change them, as whatsmeow's `group.go` sends them and reads the responses. */
export const GROUP_QUERIES: Readonly<Record<string, Responder>> = {
  'w:g2/set/create': create,
  'w:g2/set/subject': byAdmin((connection, query, group) => {
    group.subject = textOf(query, 'subject');
    connection.reply(query);
    const attrs = { subject: group.subject, s_t: seconds(connection.network.now()) };
    notifyFrom(connection, group, stanza('subject', attrs));
  }),
  'w:g2/set/description': byAdmin((connection, query, group) => {
    const node = child(query, 'description');
    const { id = '', prev, delete: isRemoved } = node?.attrs ?? {};
    if (prev !== group.description?.id) return connection.refuse(query, 409, 'conflict');
    group.description = isRemoved === 'true' || !node ? null : { id, body: textOf(node, 'body') };
    connection.reply(query);
    notifyFrom(connection, group, node ?? stanza('description'));
  }),
  'w:g2/set/add': byAdmin((connection, query, group) =>
    changeEach(connection, { query, group, tag: 'add' }, (contact) => {
      if (contact?.onWhatsApp !== true) return 404;
      if (group.members.has(contact)) return 409;
      if (contact.refusesGroups !== undefined) return contact.refusesGroups;
      group.members.add(contact);
      return 200;
    }),
  ),
  'w:g2/set/remove': byAdmin((connection, query, group) =>
    changeEach(connection, { query, group, tag: 'remove' }, (contact) => {
      if (contact === undefined || !group.members.has(contact)) return 404;
      group.members.delete(contact);
      group.admins.delete(contact);
      return 200;
    }),
  ),
  'w:g2/set/promote': byAdmin((connection, query, group) =>
    changeEach(connection, { query, group, tag: 'promote' }, (contact) => {
      if (contact === undefined || !group.members.has(contact)) return 404;
      group.admins.add(contact);
      return 200;
    }),
  ),
  'w:g2/set/demote': byAdmin((connection, query, group) =>
    changeEach(connection, { query, group, tag: 'demote' }, (contact) => {
      if (contact === undefined || !group.members.has(contact)) return 404;
      group.admins.delete(contact);
      return 200;
    }),
  ),
  'w:g2/get/invite': (connection, query) => {
    if (query.attrs['to'] !== ANY_GROUP) return readInvite(connection, query);
    const group = groupOfCode(connection, query);
    if (group === undefined) connection.refuse(query, 406, 'not-acceptable');
    else connection.reply(query, [group.nodeWithoutMembers()]);
  },
  'w:g2/set/invite': (connection, query) =>
    query.attrs['to'] === ANY_GROUP ? join(connection, query) : revokeInvite(connection, query),
  'w:g2/set/leave': (connection, query) => {
    const { account } = connection.client;
    const [left] = children(child(query, 'leave'), 'group');
    const group = connection.network.directory.findGroup(left?.attrs['id'] ?? '');
    if (!group?.members.has(account)) return connection.refuse(query, 404, 'item-not-found');
    connection.reply(query);
    notifyFrom(connection, group, stanza('remove', {}, [group.participantNode(account)]));
    group.members.delete(account);
    group.admins.delete(account);
  },
  'w:g2/get/membership_approval_requests': byAdmin((connection, query, group) =>
    connection.reply(query, [
      stanza(
        'membership_approval_requests',
        {},
        [...group.asking].map(([contact, at]) =>
          stanza('membership_approval_request', {
            ...group.participantNode(contact).attrs,
            request_time: seconds(at),
          }),
        ),
      ),
    ]),
  ),
  'w:g2/set/membership_requests_action': byAdmin((connection, query, group) => {
    const [action] = children(child(query, 'membership_requests_action'));
    if (action === undefined) return connection.refuse(query, 400, 'bad-request');
    const results = children(action, 'participant').map(({ attrs }) => {
      const contact = connection.network.directory.byJid(attrs['jid'] ?? '');
      const asks = contact !== undefined && group.asking.delete(contact);
      if (asks && action.tag === 'approve') group.members.add(contact);
      return stanza('participant', { jid: attrs['jid'], error: asks ? undefined : '404' });
    });
    connection.reply(query, [stanza('membership_requests_action', {}, [stanza(action.tag, {}, results)])]);
  }),
};

function create(connection: Connection, query: Stanza): void {
  const { client, network } = connection;
  const node = child(query, 'create');
  const { subject = '', key = '' } = node?.attrs ?? {};
  if (subject === '' || [...subject].length > 100) return connection.refuse(query, 406, 'not-acceptable');
  const group = network.directory.addGroup({
    subject,
    members: [client.account],
    admins: [client.account],
    addressing: 'lid',
    announcement: false,
    createdAt: network.now(),
  });
  const failed = children(node, 'participant').flatMap(({ attrs }) => {
    const contact = network.directory.byJid(attrs['jid'] ?? '');
    const error = contact?.onWhatsApp === true ? contact.refusesGroups : 404;
    if (contact && error === undefined) group.members.add(contact);
    return error === undefined ? [] : [refused(attrs['jid'], error)];
  });
  const made = group.node();
  const shown = { ...made, content: [...children(made), ...failed] };
  connection.reply(query, [shown]);
  notifyFrom(connection, group, stanza('create', { type: 'new', key }, [group.node()]));
}

/** A person who may only be invited gets a code for the invitation. */
function refused(jid: string | undefined, error: number): Stanza {
  const invitation = stanza('add_request', {
    code: randomBytes(8).toString('hex'),
    expiration: '1893456000',
  });
  return stanza('participant', { jid, error: String(error) }, error === 403 ? [invitation] : []);
}

interface Change {
  readonly query: Stanza;
  readonly group: GroupChat;
  readonly tag: string;
}

/** Responds with a code for each participant, and notifies of those who were changed. */
function changeEach(
  connection: Connection,
  { query, group, tag }: Change,
  change: (contact: Contact | undefined) => number,
): void {
  const { directory } = connection.network;
  const changed: Stanza[] = [];
  const results = children(child(query, tag), 'participant').map(({ attrs }) => {
    const contact = directory.byJid(attrs['jid'] ?? '');
    const node = contact && group.participantNode(contact);
    const code = change(contact);
    if (code !== 200) return refused(attrs['jid'], code);
    if (node) changed.push(node);
    return stanza('participant', { ...node?.attrs });
  });
  connection.reply(query, [stanza(tag, {}, results)]);
  if (changed.length > 0) notifyFrom(connection, group, stanza(tag, {}, changed));
}

function readInvite(connection: Connection, query: Stanza): void {
  const group = connection.network.directory.findGroup(query.attrs['to'] ?? '');
  if (!group?.members.has(connection.client.account)) return connection.refuse(query, 403, 'forbidden');
  if (!group.admins.has(connection.client.account)) return connection.refuse(query, 401, 'not-authorized');
  group.inviteCode ??= newCode();
  connection.reply(query, [stanza('invite', { code: group.inviteCode })]);
}

const revokeInvite = byAdmin((connection, query, group) => {
  group.inviteCode = newCode();
  connection.reply(query, [stanza('invite', { code: group.inviteCode })]);
});

function join(connection: Connection, query: Stanza): void {
  const { account } = connection.client;
  const group = groupOfCode(connection, query);
  if (group === undefined) return connection.refuse(query, 406, 'not-acceptable');
  if (group.members.has(account)) return connection.refuse(query, 409, 'conflict');
  if (group.asksAdmin) {
    group.asking.set(account, connection.network.now());
    return connection.reply(query, [stanza('membership_approval_request', { jid: group.jid })]);
  }
  group.members.add(account);
  connection.reply(query, [stanza('group', { jid: group.jid })]);
  notifyFrom(connection, group, stanza('add', { reason: 'invite' }, [group.participantNode(account)]));
}

function groupOfCode({ network }: Connection, query: Stanza): GroupChat | undefined {
  const code = child(query, 'invite')?.attrs['code'];
  return network.directory.groups.find(({ inviteCode }) => inviteCode !== null && inviteCode === code);
}

/** Refuses as WhatsApp does if the account is not an admin of the group. */
function byAdmin(respond: (connection: Connection, query: Stanza, group: GroupChat) => void): Responder {
  return (connection, query) => {
    const group = connection.network.directory.findGroup(query.attrs['to'] ?? '');
    if (group === undefined) connection.refuse(query, 404, 'item-not-found');
    else if (group.admins.has(connection.client.account)) respond(connection, query, group);
    else connection.refuse(query, 403, 'forbidden');
  };
}

function notifyFrom({ network, client }: Connection, group: GroupChat, change: Stanza): void {
  notify(network, group, change, client.account);
}

function newCode(): string {
  return randomBytes(11).toString('hex');
}
