import { postInChannel, postStatus, sendPlaintext } from '../messages/broadcasts.ts';
import { newMessageId, sendFromPhone } from '../messages/phone-to-client.ts';
import { sendReceipt } from '../messages/receipts.ts';
import { askForRetry } from '../messages/retry.ts';
import { toProto } from '../messages/to-proto.ts';
import type { Outgoing } from '../messages/to-proto.ts';
import type { Network } from '../network.ts';
import { seconds } from '../stanza.ts';
import type { AddressingMode } from '../directory/contact.ts';
import type { Account, Group, Person } from './directory-api.ts';

interface InboundOptions {
  /** The network's message id; made up where left out. Given twice, it is the same message sent again. */
  readonly id?: string;
  readonly group?: Group;
  /** How the sender is named to the client: by number, the default, or by LID. Groups have a way of their own. */
  readonly addressing?: AddressingMode;
  /** The ciphertext cannot be read. The sender's phone responds to the client's retry receipt with one that can. */
  readonly undecryptable?: boolean;
  /** False, with `undecryptable`: the sender's phone never responds. */
  readonly respondsToRetry?: boolean;
  /** When it was sent, in milliseconds; now by default. */
  readonly sentAt?: number;
}

interface ReceiptOptions {
  /** Whose phone: in groups the participant. */
  readonly by: Person;
  readonly type: 'delivered' | 'read' | 'played';
  /** Network ids, at least one. */
  readonly ids: readonly string[];
  readonly group?: Group;
  readonly addressing?: AddressingMode;
  /** It comes from this device of theirs, not from the phone. */
  readonly device?: number;
}

/** What comes in for an account: immediately if its client is connected, otherwise after its next login. */
export interface IncomingApi {
  /** A person sends the account a message. Returns the network id. */
  inbound(from: Person, to: Account, message: Outgoing, options?: InboundOptions): Promise<string>;
  /** A person posts a status that the account sees. Returns the network id. */
  status(from: Person, to: Account, text: string): Promise<string>;
  /** A channel that the account follows posts a text. Returns the network id. */
  channelPost(to: Account, text: string): string;
  /** A text without encryption, said to be from a person: no phone sends one. Returns the network id. */
  plaintext(from: Person, to: Account, text: string): string;
  /** Hands the client a message again that it has had, byte for byte. */
  redeliver(to: Account, id: string): void;
  /** A person's phone sends receipts for messages that the account sent. */
  receipt(to: Account, receipt: ReceiptOptions): void;
  /** The person's phone could not read a message and asks the client for it again. */
  requestRetry(to: Account, by: Person, id: string): void;
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
      const addressing = group?.addressing ?? options.addressing ?? 'pn';
      const account = directory.account(to.phoneNumber);
      if (account.reachable.length === 0)
        throw new Error(`no client of ${account.phoneNumber} can be written to`);
      await sendFromPhone({
        from: directory.contact(from.phoneNumber),
        to: account,
        message: await toProto(message, network.media),
        envelope: { id, t: seconds(options.sentAt ?? network.now()), group, addressing },
        undecryptable: options.undecryptable ?? false,
        respondsToRetry: options.respondsToRetry ?? true,
      });
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
        addressing: options.addressing ?? group?.addressing ?? 'pn',
        device: options.device,
      });
    },
    requestRetry: ({ phoneNumber }, by, id) => {
      const reader = directory.contact(by.phoneNumber);
      const group = reader.inbox.get(id)?.group ?? null;
      askForRetry(network, directory.account(phoneNumber).companion, { id, reader, group });
    },
  };
}
