import { setImmediate } from 'node:timers/promises';
import { jidDecode } from '@whiskeysockets/baileys';
import { child, children, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { comeOnline } from './come-online.ts';
import type { Connection } from './connection.ts';
import { GROUP_QUERIES } from './groups.ts';
import { takeTokens } from '../messages/trust-token.ts';
import { onLinkCode } from '../pairing/link-code.ts';
import {
  onCompanionNonce,
  onPairingRequest,
  onPasskeyOptions,
  onPasskeyPrologue,
  onPasskeyRef,
} from '../pairing/passkey.ts';
import { respondToStandingQuery } from './standing.ts';
import { respondToStateQuery } from './state.ts';
import { respondToUsync } from './usync.ts';

type Responder = (connection: Connection, query: Stanza) => void | Promise<void>;

/** Every query that a client may send, by namespace, type and the tag of its first child. */
const QUERIES: Readonly<{ [name: string]: Responder }> = {
  'w:p/get/ping': (connection, query) => connection.reply(query),

  'encrypt/get/count': (connection, query) =>
    connection.reply(query, [stanza('count', { value: String(connection.client.shelf.count) })]),
  'encrypt/get/digest': (connection, query) => connection.reply(query, [stanza('digest', {}, [])]),
  'encrypt/get/key': respondWithKeys,
  'encrypt/set/registration': (connection, query) => {
    connection.client.shelf.put(query);
    connection.reply(query);
  },
  'encrypt/set/rotate': (connection, query) => {
    connection.client.shelf.rotate(first(query));
    connection.reply(query);
  },

  'passive/set/active': async (connection, query) => {
    connection.reply(query);
    await comeOnline(connection);
  },
  'abt/get/props': (connection, query) => connection.reply(query, [stanza('props', { hash: 'fake' }, [])]),
  'blocklist/get/': (connection, query) => connection.reply(query, [blocklist(connection)]),
  'blocklist/set/item': (connection, query) => {
    const { action, jid = '', pn_jid: number } = first(query).attrs;
    const { account } = connection.client;
    const person = connection.network.directory.byJid(jid);
    if (person === undefined || jid !== person.lidJid || (number !== undefined && number !== person.jid)) {
      connection.refuse(query, 400, 'bad-request');
      return;
    }
    if (action === 'block') account.blocked.add(person);
    else account.blocked.delete(person);
    connection.reply(query, [blocklist(connection)]);
  },
  'privacy/get/privacy': (connection, query) => {
    const setting = (name: string, value = 'all') => stanza('category', { name, value });
    const receipts = connection.client.account.sharesReadReceipts ? 'all' : 'none';
    connection.reply(query, [stanza('privacy', {}, [setting('readreceipts', receipts), setting('last')])]);
  },
  'privacy/set/tokens': (connection, query) => {
    takeTokens(connection.client, connection.network, first(query));
    connection.reply(query, [stanza('tokens', {}, [])]);
  },
  'w:sync:app:state/set/sync': respondToStateQuery,

  'urn:xmpp:whatsapp:dirty/set/clean': (connection, query) => connection.reply(query),

  'usync/get/usync': (connection, query) =>
    connection.reply(query, [respondToUsync(first(query), connection.network.directory)]),
  'w:profile:picture/get/picture': (connection, query) => {
    const url = connection.network.directory.byJid(
      query.attrs['target'] ?? query.attrs['to'] ?? '',
    )?.pictureUrl;
    if (url === undefined) connection.refuse(query, 404, 'item-not-found');
    else connection.reply(query, [stanza('picture', { url, id: '1', type: 'preview' })]);
  },
  'w:g2/get/participating': (connection, query) => {
    const groups = connection.network.directory.groupsOf(connection.client.account);
    const withMembers = child(first(query), 'participants') !== undefined;
    connection.reply(query, [
      stanza(
        'groups',
        {},
        groups.map((group) => (withMembers ? group.node() : group.nodeWithoutMembers())),
      ),
    ]);
  },
  'w:g2/get/query': (connection, query) => {
    const group = connection.network.directory.findGroup(query.attrs['to'] ?? '');
    if (group === undefined) connection.refuse(query, 404, 'item-not-found');
    else if (!group.members.has(connection.client.account)) connection.refuse(query, 403, 'forbidden');
    else connection.reply(query, [group.node()]);
  },

  ...GROUP_QUERIES,

  'w:m/set/media_conn': (connection, query) => {
    const { media } = connection.network;
    const hosts = media.hosts.map((hostname) => stanza('host', { hostname }));
    const attrs = { auth: media.addresses.newToken(), ttl: '300', auth_ttl: '21600', max_buckets: '12' };
    connection.reply(query, [stanza('media_conn', attrs, hosts)]);
  },

  'w:mex/get/query': respondToStandingQuery,

  'md/set/link_code_companion_reg': onLinkCode,
  'md/get/passkey_request_options': onPasskeyOptions,
  'md/get/ref': onPasskeyRef,
  'md/set/passkey_prologue': onPasskeyPrologue,
  'md/set/companion_nonce': onCompanionNonce,
  'md/set/encrypted_pairing_request': onPairingRequest,
  'md/set/remove-companion-device': (connection, query) => {
    const { account, device } = connection.client;
    account.companions.delete(device);
    connection.reply(query);
    connection.network.chronicle.actions.add({ type: 'companion_removed', account: account.phoneNumber });
  },
};

function blocklist({ client }: Connection): Stanza {
  const people = [...client.account.blocked];
  return stanza(
    'list',
    {},
    people.map(({ lidJid, jid }) => stanza('item', { jid: lidJid ?? jid })),
  );
}

/** Responds to a query; a query that is not in the table is a problem that fails the test. */
export async function respondToQuery(connection: Connection, query: Stanza): Promise<void> {
  const { companion, network } = connection;
  const { disturbances, chronicle } = network;
  const { xmlns = '', type = '' } = query.attrs;
  const name = `${xmlns}/${type}/${children(query)[0]?.tag ?? ''}`;
  if (disturbances.isMuted(name)) return;
  const refusal = disturbances.takeQueryRefusal(name) ?? (isTooMuch(connection, name) ? 429 : undefined);
  if (refusal !== undefined) {
    if (companion !== undefined) network.noteDisturbed(companion.account, 'query');
    connection.refuse(query, refusal, refusal === 429 ? 'rate-overlimit' : 'refused');
    return;
  }

  const respond = QUERIES[name];
  if (respond === undefined) {
    chronicle.problems.push(`unknown query ${name}`);
    connection.refuse(query, 501, 'feature-not-implemented');
    return;
  }
  await respond(connection, query);
}

/** Whether a linked client queries more often than its limit allows. */
function isTooMuch({ companion, network }: Connection, name: string): boolean {
  if (companion === undefined || network.disturbances.queryLimit === undefined) return false;
  return !network.disturbances.queryLimit.take(companion.account.phoneNumber, name, network.now());
}

/** Hands out key bundles of phones and of linked clients. Unknown users are left out. */
async function respondWithKeys(connection: Connection, query: Stanza): Promise<void> {
  const { directory } = connection.network;
  const users: Stanza[] = [];
  for (const { attrs } of children(child(query, 'key'), 'user')) {
    const jid = attrs['jid'] ?? '';
    const device = jidDecode(jid)?.device ?? 0;
    const contact = directory.byJid(jid);
    // Each bundle generates keys, and a thousand bundles must not keep all connections waiting.
    await setImmediate();
    if (contact?.withheldKeys === 'left_out') continue;
    if (contact?.withheldKeys === 'error') {
      users.push(stanza('user', { jid }, [stanza('error', { code: '406', text: 'not-acceptable' })]));
      continue;
    }
    if (contact?.onWhatsApp === true && contact.devices.includes(device)) {
      users.push(stanza('user', { jid }, await contact.deviceOf(device).bundle()));
    } else {
      const companion = directory.companionByJid(jid);
      if (companion !== undefined) users.push(stanza('user', { jid }, companion.shelf.takeNodes()));
    }
  }
  connection.reply(query, [stanza('list', {}, users)]);
}

function first(query: Stanza): Stanza {
  const [node] = children(query);
  if (node === undefined) throw new Error(`an empty query ${query.attrs['xmlns'] ?? ''}`);
  return node;
}
