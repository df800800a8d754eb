import { numbersOnCard } from '@trunkline/core/spi/gateway';
import type { MessageReceipt } from '@trunkline/core/spi/gateway';
import { baileysGateway } from '@trunkline/gateway-baileys';
import type { BaileysGateway, BaileysGatewayOptions } from '@trunkline/gateway-baileys';
import { createPasskey, startFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, FakeWhatsApp, Group, Person, SentMessage } from '@trunkline/fake-whatsapp';
import type {
  ActedOnNetwork,
  SentToNetwork,
  TestActivities,
  TestNetwork,
  TestPhone,
  TypingOnNetwork,
} from '@trunkline/gateway-contract';
import { proto } from '@whiskeysockets/baileys';

/** The real client on a loopback WhatsApp, with one person whose phone reads everything it gets. */
export interface BaileysNetwork extends TestNetwork {
  readonly gateway: BaileysGateway;
  readonly wa: FakeWhatsApp;
  readonly account: Account;
  readonly reader: Person;
  group(jid: string): Group;
}

export interface NetworkOptions {
  readonly gateway?: BaileysGatewayOptions;
  /** Default true. */
  readonly readsByItself?: boolean;
}

export async function startBaileysNetwork({
  gateway: options = {},
  readsByItself = true,
}: NetworkOptions = {}): Promise<BaileysNetwork> {
  const wa = await startFakeWhatsApp();
  const untrust = wa.trust();
  const account = wa.account('5511900000001', { name: 'Shop' });
  const reader = wa.person('5511988887777', { name: 'Bob' });
  const passkey = createPasskey();
  const groups = new Map<string, Group>();
  const group = (jid: string): Group => {
    const found = groups.get(jid);
    if (!found) throw new Error(`There is no group ${jid}.`);
    return found;
  };
  wa.person('5511900009999', { onWhatsApp: false });
  const bare = baileysGateway({
    ...options,
    socket: { waWebSocketUrl: wa.client.waWebSocketUrl, ...staticOptions(options) },
  });
  const gateway = readsByItself ? watchReceipts(bare, readEverything({ wa, account, reader }, group)) : bare;

  const phone: TestPhone = {
    phoneNumber: account.phoneNumber,
    scan: async (code) => wa.scanQr(account, code),
    enterCode: (code) => wa.enterCode(account, code),
    passkey: {
      async scan(code) {
        wa.requirePasskey(account, passkey);
        wa.scanQr(account, code);
      },
      sign: async (options) => passkey.sign(options),
    },
    receive: ({ from, text, file, groupNetworkId }) =>
      wa.inbound(
        from === reader.phoneNumber ? reader : wa.person(from),
        account,
        file
          ? { type: file.type, mimeType: file.mimeType, bytes: file.content, ...(text && { caption: text }) }
          : text,
        groupNetworkId ? { group: group(groupNetworkId) } : {},
      ),
    async addGroup(name) {
      const added = wa.group({ subject: name, members: [reader] });
      groups.set(added.jid, added);
      wa.addToGroup(added, account);
      return added.jid;
    },
    async leaveGroup(networkId) {
      wa.removeFromGroup(group(networkId), account);
    },
    async askToJoin(networkId, number) {
      wa.askToJoin(
        { jid: networkId, subject: '' },
        number === reader.phoneNumber ? reader : wa.person(number),
      );
    },
    activities: activitiesOf({ wa, account, reader }),
    drop: async () => wa.drop(account),
    unlink: async () => wa.unlink(account),
    async fail() {
      wa.refuseLogin(account, 403);
      wa.drop(account);
    },
    accepted: () => accepted(wa, [account, reader]),
    acted: () => acted(wa),
    read: () => [...new Set(wa.receipts(account).flatMap(({ type, ids }) => (type === 'read' ? ids : [])))],
    blocked: () => wa.blocked(account),
    typing: () => typing(wa, [account, reader]),
  };
  return {
    wa,
    account,
    reader,
    gateway,
    group,
    people: { reader: reader.phoneNumber, refused: '5511900009999' },
    phone: () => phone,
    async stop() {
      untrust();
      await wa.stop();
    },
  };
}

export function staticOptions({ socket = {} }: BaileysGatewayOptions): SocketOptions {
  if (typeof socket === 'function')
    throw new Error('This network makes its gateway with the same options for all.');
  return socket;
}

type SocketOptions = Exclude<NonNullable<BaileysGatewayOptions['socket']>, (instanceId: string) => unknown>;

/** Reactions are to messages of the instance. */
function activitiesOf({ wa, account, reader }: Chat): TestActivities {
  return {
    write: ({ text }) => wa.fromPhone(account, reader, text),
    async react({ about, emoji }) {
      const to = { remoteJid: account.lidJid, id: about, fromMe: false };
      await wa.inbound(reader, account, { type: 'reaction', text: emoji ?? '', to });
    },
    async vote({ about, options }) {
      const to = { remoteJid: account.lidJid, id: about, fromMe: false };
      const [poll] = wa.sentMessages({ id: about });
      if (poll?.content.type !== 'poll') throw new Error(`${about} is not a poll`);
      const { secret } = poll.content;
      await wa.inbound(reader, account, { type: 'vote', to, secret, options, at: Date.now() });
    },
    async edit({ about, text }) {
      await wa.inbound(reader, account, { type: 'edit', id: about, text });
    },
    async delete({ about }) {
      await wa.inbound(reader, account, { type: 'delete', id: about });
    },
    async call() {
      wa.call(reader, account);
    },
    receiveUndecryptable: async () => wa.unavailable(reader, account),
  };
}

interface Chat {
  readonly wa: FakeWhatsApp;
  readonly account: Account;
  readonly reader: Person;
}

/**
 * Makes the reader's phone send two receipts for each message. The read receipt follows only when the gateway has
 * reported the delivery, because a client that handles both together reports only the last. Returns the function to
 * call with these reports.
 */
function readEverything(
  { wa, account, reader }: Chat,
  group: (jid: string) => Group,
): (receipt: MessageReceipt) => void {
  const places = new Map<string, { readonly group?: Group }>();
  const receive = async (): Promise<never> => {
    for (;;) {
      const { id, to, toPhoneNumber } = await wa.nextMessage();
      const place = toPhoneNumber === null ? { group: group(to) } : {};
      places.set(id, place);
      wa.receipt(account, { by: reader, type: 'delivered', ids: [id], ...place });
    }
  };
  receive().catch(() => undefined); // rejects when the network is stopped
  return ({ networkId, status }) => {
    const place = places.get(networkId);
    if (status !== 'delivered' || place === undefined) return;
    wa.receipt(account, { by: reader, type: 'read', ids: [networkId], ...place });
  };
}

/** The same gateway, except that `reported` gets each receipt after the listener has taken it. */
function watchReceipts(gateway: BaileysGateway, reported: (receipt: MessageReceipt) => void): BaileysGateway {
  return {
    ...gateway,
    open: (session, listener, options) =>
      gateway.open(
        session,
        {
          ...listener,
          async receipt(receipt) {
            await listener.receipt(receipt);
            reported(receipt);
          },
        },
        options,
      ),
  };
}

/** The messages and actions that the network took, without repeats. */
function taken(wa: FakeWhatsApp): readonly SentMessage[] {
  const messages = new Map<string, SentMessage>();
  for (const message of wa.sentMessages()) if (message.refused === null) messages.set(message.id, message);
  return [...messages.values()];
}

function accepted(wa: FakeWhatsApp, people: readonly Person[]): readonly SentToNetwork[] {
  return taken(wa).flatMap(({ id, to, toPhoneNumber, content }): readonly SentToNetwork[] => {
    const place = { networkId: id, to: toPhoneNumber ?? to };
    if (content.type === 'text') {
      const { text, mentions } = content;
      return [{ ...place, text, file: null, ...mentioned(people, text, mentions) }];
    }
    if (content.type === 'unreadable') throw new Error('The gateway never sends such messages.');
    if (content.type === 'other') return [];
    const detail = detailOf(content);
    if (!('bytes' in content)) return [{ ...place, text: '', file: null, ...(detail && { detail }) }];
    const { mimeType, bytes } = content;
    const type = content.type === 'sticker' ? 'image' : content.type;
    const { caption: text = null, mentions } = content.type === 'sticker' ? {} : content;
    const file = { type, mimeType, size: bytes.length };
    const more = { ...(detail && { detail }), ...mentioned(people, text ?? '', mentions) };
    return [{ ...place, text: text ?? '', file, ...more }];
  });
}

/** The numbers of the people whom a text mentions, each by the user of their jid after an `@`. */
function mentioned(
  people: readonly Person[],
  text: string,
  jids: readonly string[] | undefined,
): Pick<SentToNetwork, 'mentions'> {
  if (!jids) return {};
  const numbers = jids.map((jid) => {
    const [user = ''] = jid.split('@');
    if (!text.includes(`@${user}`)) throw new Error(`The text has no mention of ${jid}: ${text}`);
    return people.find(({ jid: number, lidJid }) => [number, lidJid].includes(jid))?.phoneNumber ?? user;
  });
  return { mentions: numbers };
}

/** The kind of a message that is neither a text nor a file. */
function detailOf(content: SentMessage['content']): SentToNetwork['detail'] | null {
  switch (content.type) {
    case 'location': {
      const { type: kind, ...payload } = content;
      return { kind, payload };
    }
    case 'contacts': {
      const contacts = content.cards.map(({ name, vcard }) => ({
        name,
        phone_numbers: numbersOnCard(vcard),
        vcard,
      }));
      return { kind: 'contact', payload: { contacts } };
    }
    case 'poll': {
      const { question, options, multiple } = content;
      return { kind: 'poll', payload: { question, options, multiple } };
    }
    case 'sticker':
      return { kind: 'sticker', payload: { animated: content.animated } };
    default:
      return null;
  }
}

function acted(wa: FakeWhatsApp): readonly ActedOnNetwork[] {
  return taken(wa).flatMap(({ id, content, edit }) => {
    if (content.type !== 'other') return [];
    const { reactionMessage, editedMessage, protocolMessage } = proto.Message.fromObject(content.message);
    const change = editedMessage?.message?.protocolMessage ?? protocolMessage;
    const key = reactionMessage?.key ?? change?.key;
    const deed = reactionMessage ? deedOfReaction(reactionMessage) : change ? changeIn(change) : null;
    if (!key || !deed) return [];
    // Phones and the network know a change by this attribute (whatsmeow, `getEditAttribute`).
    const isTakenBack = deed.kind === 'reaction' && deed.emoji === null;
    const expected = deed.kind === 'edit' ? '1' : deed.kind === 'deletion' || isTakenBack ? '7' : null;
    if (edit !== expected)
      throw new Error(`The stanza of an action has the attribute edit=${edit ?? 'none'}.`);
    return [{ networkId: id, about: key.id ?? '', isOwn: key.fromMe === true, deed }];
  });
}

/** From the states of chats that the client has sent. */
function typing(wa: FakeWhatsApp, people: readonly Person[]): readonly TypingOnNetwork[] {
  return wa.transcript().flatMap(({ direction, node }) => {
    if (direction !== 'received' || node.tag !== 'chatstate') return [];
    const { to = '' } = node.attrs;
    const [state] = Array.isArray(node.content) ? node.content : [];
    const person = people.find(({ lidJid, phoneNumber }) =>
      [lidJid, `${phoneNumber}@s.whatsapp.net`].includes(to),
    );
    return [{ to: person?.phoneNumber ?? to, state: stateOf(state) }];
  });
}

function stateOf(
  node: { readonly tag: string; readonly attrs: object } | undefined,
): TypingOnNetwork['state'] {
  if (node?.tag === 'paused') return 'paused';
  return 'media' in (node?.attrs ?? {}) ? 'recording' : 'typing';
}

export function reactionIn(
  message: Readonly<Record<string, unknown>>,
): proto.Message.IReactionMessage | null {
  return proto.Message.fromObject(message).reactionMessage ?? null;
}

function deedOfReaction({ text }: proto.Message.IReactionMessage): ActedOnNetwork['deed'] {
  return { kind: 'reaction', emoji: text || null };
}

function changeIn({ type, editedMessage }: proto.Message.IProtocolMessage): ActedOnNetwork['deed'] {
  if (type === proto.Message.ProtocolMessage.Type.REVOKE) return { kind: 'deletion' };
  const { conversation, imageMessage, documentWithCaptionMessage } = editedMessage ?? {};
  if (imageMessage) return { kind: 'edit', type: 'image', text: imageMessage.caption ?? '' };
  const document = documentWithCaptionMessage?.message?.documentMessage;
  if (document) return { kind: 'edit', type: 'document', text: document.caption ?? '' };
  return { kind: 'edit', type: 'text', text: conversation ?? '' };
}
