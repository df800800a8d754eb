import { postInChannel, postStatus, sendPlaintext } from '../messages/broadcasts.ts';
import { newMessageId, sendFromPhone } from '../messages/phone-to-client.ts';
import { sendGroupedReceipts, sendReceipt } from '../messages/receipts.ts';
import { askForRetry } from '../messages/retry.ts';
import { giveToken } from '../messages/trust-token.ts';
import { toProto } from '../messages/to-proto.ts';
import type { Outgoing } from '../messages/to-proto.ts';
import type { Network } from '../network.ts';
import { seconds, stanza } from '../stanza.ts';
import { PHONE } from '../directory/contact.ts';
import type { AddressingMode } from '../directory/contact.ts';
import type { Account, Group, Person } from './directory-api.ts';

interface InboundOptions {
  /** The network's message id; made up if omitted. Reuse an id to send a message again. */
  readonly id?: string;
  readonly group?: Group;
  /** How the sender is named to the client: by LID, the default, or by number. Groups have their own setting. */
  readonly addressing?: AddressingMode;
  /**
   * Whether the ciphertext is damaged. The sender's phone responds to the client's retry receipt with a readable copy.
   */
  readonly undecryptable?: boolean;
  /** Whether the sender's phone responds to the retry receipt; true by default. */
  readonly respondsToRetry?: boolean;
  /** When the message was sent, in milliseconds; now by default. */
  readonly sentAt?: number;
  /** The sender's device; the phone by default, 99 for the hosted device of a business on WhatsApp's Cloud API. */
  readonly device?: number;
  /** The sender's list of recipients through which the message is sent, digits. No group must be given. */
  readonly broadcastList?: string;
}

interface ReceiptOptions {
  /** The person who sends the receipt; in a group, the participant. */
  readonly by: Person;
  readonly type: 'delivered' | 'read' | 'played';
  /** Network ids, at least one. */
  readonly ids: readonly string[];
  readonly group?: Group;
  readonly addressing?: AddressingMode;
  /** The device that sends the receipt; the phone by default. */
  readonly device?: number;
}

interface GroupedReceiptsOptions {
  /** The members whose receipts the network has gathered. */
  readonly by: readonly Person[];
  readonly type: 'delivered' | 'read' | 'played';
  /** Network ids, at least one. */
  readonly ids: readonly string[];
  readonly group: Group;
}

interface UnavailableOptions {
  /** `view_once` by default; null if the network gives no reason. */
  readonly type?: string | null;
  readonly id?: string;
}

interface CallOptions {
  readonly id?: string;
  readonly video?: boolean;
  readonly group?: Group;
}

/** Arrivals for an account, which its client gets immediately if it is connected, otherwise after its next login. */
interface RetryOptions {
  /** The person's device that asks; the phone by default. */
  readonly device?: number;
  /** Whether the device asks however often it has asked before. Real ones ask up to five times, as by default. */
  readonly insists?: boolean;
  /** How the person is named to the client; as the message named them by default. Groups have their own setting. */
  readonly addressing?: AddressingMode;
}

export interface IncomingApi {
  /** A person sends the account a message. Returns the network id. */
  inbound(from: Person, to: Account, message: Outgoing, options?: InboundOptions): Promise<string>;
  /** A person posts a status that the account sees. Returns the network id. */
  status(from: Person, to: Account, text: string): Promise<string>;
  /** A channel that the account follows posts a text. Returns the network id. */
  channelPost(to: Account, text: string): string;
  /** An unencrypted text that claims to be from a person; no phone sends such a text. Returns the network id. */
  plaintext(from: Person, to: Account, text: string): string;
  /** Resends a message that the client has received, byte for byte. */
  redeliver(to: Account, id: string): void;
  /** A person's phone sends receipts for messages that the account sent. */
  receipt(to: Account, receipt: ReceiptOptions): void;
  /** The network delivers the receipts of several members of a group in one stanza. */
  groupedReceipts(to: Account, receipts: GroupedReceiptsOptions): void;
  /** A message arrives without its content, such as a view-once picture. Returns the network id. */
  unavailable(from: Person, to: Account, options?: UnavailableOptions): string;
  /** A person calls the account. Returns the id of the call. */
  call(from: Person, to: Account, options?: CallOptions): string;
  /** The person's phone, or another device, could not read a message and asks the client for it again. */
  requestRetry(to: Account, by: Person, id: string, options?: RetryOptions): Promise<void>;
}

export function incomingApi(network: Network): IncomingApi {
  const { directory } = network;
  const sending = (from: Person, to: Account, text: string) => ({
    from: directory.contact(from.phoneNumber),
    to: directory.account(to.phoneNumber),
    text,
  });
  return {
    status: (from, to, text) => postStatus(network, sending(from, to, text)),
    channelPost: ({ phoneNumber }, text) => postInChannel(network, directory.account(phoneNumber), text),
    plaintext: (from, to, text) => sendPlaintext(network, sending(from, to, text)),
    inbound: async (from, to, message, options = {}) => {
      const group = options.group && directory.group(options.group.jid);
      const id = options.id ?? newMessageId();
      const addressing = group?.addressing ?? options.addressing ?? 'lid';
      const account = directory.account(to.phoneNumber);
      if (account.reachable.length === 0)
        throw new Error(`no client of ${account.phoneNumber} can be written to`);
      const sender = directory.contact(from.phoneNumber);
      await sendFromPhone({
        from: sender,
        to: account,
        message: await toProto(message, network.media),
        envelope: {
          id,
          t: seconds(options.sentAt ?? network.now()),
          group,
          addressing,
          device: options.device ?? PHONE,
          broadcastList: options.broadcastList,
        },
        undecryptable: options.undecryptable ?? false,
        respondsToRetry: options.respondsToRetry ?? true,
      });
      const { needsToken, tokens } = sender;
      const givenAt = network.now();
      if (needsToken && group === undefined && !tokens.isCurrent(to.phoneNumber, givenAt))
        giveToken(network, { from: sender, to: account, givenAt, addressing });
      return id;
    },
    redeliver: ({ phoneNumber }, id) => directory.account(phoneNumber).companion.inbox.redeliver(id),
    receipt: ({ phoneNumber }, { by, type, ids, ...options }) => {
      const group = options.group && directory.group(options.group.jid);
      sendReceipt(network, directory.account(phoneNumber), {
        by: directory.contact(by.phoneNumber),
        type,
        ids,
        group,
        addressing: options.addressing ?? group?.addressing ?? 'lid',
        device: options.device,
      });
    },
    groupedReceipts: ({ phoneNumber }, { by, type, ids, group }) =>
      sendGroupedReceipts(network, directory.account(phoneNumber), {
        by: by.map((member) => directory.contact(member.phoneNumber)),
        type,
        ids,
        group: directory.group(group.jid),
      }),
    unavailable: (from, { phoneNumber }, { type = 'view_once', id = newMessageId() } = {}) => {
      const sender = directory.contact(from.phoneNumber);
      const names = { from: sender.jidIn('lid'), sender_pn: sender.hidesNumber ? undefined : sender.jid };
      const attrs = { id, t: seconds(network.now()), type: 'media', notify: sender.name, ...names };
      const child = stanza('unavailable', { type: type ?? undefined });
      for (const { inbox } of directory.account(phoneNumber).reachable)
        inbox.put(stanza('message', attrs, [child]));
      return id;
    },
    call: (from, { phoneNumber }, { id = newMessageId(), video = false, group } = {}) => {
      const caller = directory.contact(from.phoneNumber);
      const creator = caller.jidIn('lid');
      const names = { from: group?.jid ?? creator, notify: caller.name, username: caller.username };
      const offer = stanza(
        'offer',
        {
          'call-id': id,
          'call-creator': creator,
          caller_pn: caller.hidesNumber ? undefined : caller.jid,
          'group-jid': group?.jid,
        },
        [
          stanza('audio', { enc: 'opus', rate: '16000' }),
          ...(video ? [stanza('video', { enc: 'vp8' })] : []),
        ],
      );
      for (const { inbox } of directory.account(phoneNumber).reachable) {
        inbox.put(
          stanza('call', { id: network.newStanzaId(), t: seconds(network.now()), ...names }, [offer]),
        );
      }
      return id;
    },
    requestRetry: async ({ phoneNumber }, by, id, { device = PHONE, insists, addressing } = {}) => {
      const reader = directory.contact(by.phoneNumber);
      const group = reader.inbox.get(id)?.group ?? null;
      const { companion } = directory.account(phoneNumber);
      await askForRetry(network, companion, { id, reader, device, group, insists, addressing });
    },
  };
}
