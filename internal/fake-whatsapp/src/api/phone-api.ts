import { stanza } from '../stanza.ts';
import type { Connection } from '../connection/connection.ts';
import type { Switchboard } from '../connection/switchboard.ts';
import { handOn, mirror } from '../messages/own-phone.ts';
import { toProto } from '../messages/to-proto.ts';
import type { Outgoing } from '../messages/to-proto.ts';
import type { Network } from '../network.ts';
import { enterCode, hasRequestedCode } from '../pairing/link-code.ts';
import { beginPairing } from '../pairing/begin-pairing.ts';
import { isForAccount, shownCode } from '../pairing/passkey.ts';
import type { PasskeyRule, PublicPasskey } from '../pairing/software-passkey.ts';
import { hasOffered, isRetired, readQr, retireSecret } from '../pairing/qr.ts';
import type { Account, Group, Person } from './directory-api.ts';

interface LinkedDevice {
  readonly device: number;
  readonly connected: boolean;
}

export interface PhoneApi {
  /**
   * Scans the QR that a client shows. Throws if the client's connection is gone, its version is too old to be linked, or
   * the network has retired the secret.
   */
  scanQr(account: Account, qrText: string): void;
  /** The network asks for the account's passkey whenever a client is linked to it after this call. */
  requirePasskey(account: Account, passkey: PublicPasskey, rule?: PasskeyRule): void;
  /** The code that the phone shows while a client is linked with a passkey; null if it shows none. */
  passkeyCode(account: Account): string | null;
  /** Ends the connection of the client that is being linked to the account with a passkey, without an error. */
  dropLinking(account: Account): void;
  /** The network retires the secret of this QR, and notifies the client that shows it. */
  retireQrSecret(qrText: string): void;
  /** Types the pairing code that a client shows, once the client has requested a code. */
  enterCode(account: Account, code: string): Promise<void>;
  /** Unlinks every client, as "Log out" under Linked devices does: the client gets a 401 now, or at its next login. */
  unlink(account: Account): void;
  /** Chooses whether the authors of messages see that the account has read them; true by default. */
  shareReadReceipts(account: Account, shares: boolean): void;
  /** The phone numbers of the people whom the account has blocked. */
  blocked(account: Account): readonly string[];
  linkedDevices(account: Pick<Account, 'phoneNumber'>): readonly LinkedDevice[];
  /** Sends a message typed on the phone itself; each client gets a copy. Returns the network id. */
  fromPhone(account: Account, to: Person | Group, message: Outgoing): Promise<string>;
  /**
   * The phone gives every client the content of a person's message that arrived without content (`unavailable`).
   * Returns the ids of the stanzas, for `receiptFor`.
   */
  handOn(account: Account, from: Person, id: string, message: Outgoing): Promise<readonly string[]>;
}

export function phoneApi(network: Network, switchboard: Switchboard): PhoneApi {
  const { directory, chronicle } = network;
  const showing = (ref: string) => {
    const connection = switchboard.all.find((candidate) => hasOffered(candidate, ref));
    if (connection === undefined) throw new Error('this QR is of no open connection');
    return connection;
  };
  const linking = (phoneNumber: string) => {
    const connection = switchboard.all.find((candidate) => isForAccount(candidate, phoneNumber));
    if (connection === undefined)
      throw new Error('no client is being linked with the passkey of this account');
    return connection;
  };
  /** The phone shows an error if the client is too old, and the client is not notified. */
  const checkVersion = (connection: Connection) => {
    if (!network.versions.canLink(connection.version)) throw new Error('the phone could not link the device');
  };
  return {
    scanQr: ({ phoneNumber }, qrText) => {
      const { ref, ...secrets } = readQr(qrText);
      const connection = showing(ref);
      checkVersion(connection);
      if (isRetired(connection, secrets.advSecret)) throw new Error('the secret of this QR is retired');
      beginPairing(connection, directory.account(phoneNumber), secrets);
    },
    requirePasskey: ({ phoneNumber }, { credentialId, publicKey }, rule = {}) => {
      directory.account(phoneNumber).passkey = { credentialId, publicKey, ...rule };
    },
    passkeyCode: ({ phoneNumber }) => shownCode(linking(phoneNumber)),
    dropLinking: ({ phoneNumber }) => linking(phoneNumber).drop(),
    retireQrSecret: (qrText) => retireSecret(showing(readQr(qrText).ref), qrText),
    enterCode: async ({ phoneNumber }, code) => {
      const asking = () => switchboard.all.find((candidate) => hasRequestedCode(candidate, phoneNumber));
      const isRequest = (action: { type: string; account: string | null }) =>
        action.type === 'code_requested' && action.account === phoneNumber;
      if (asking() === undefined) await chronicle.actions.next('a request for a pairing code', isRequest);
      const connection = asking();
      if (connection === undefined) throw new Error('the client that asked for a code is gone');
      checkVersion(connection);
      await enterCode(connection, directory.account(phoneNumber), code);
    },
    unlink: ({ phoneNumber }) => {
      const account = directory.account(phoneNumber);
      const removed = stanza('conflict', { type: 'device_removed' });
      for (const companion of account.companions.values()) {
        switchboard.ofCompanion(companion)?.sendLast(stanza('stream:error', { code: '401' }, [removed]));
      }
      account.companions.clear();
    },
    shareReadReceipts: ({ phoneNumber }, shares) => {
      directory.account(phoneNumber).sharesReadReceipts = shares;
    },
    blocked: ({ phoneNumber }) =>
      [...directory.account(phoneNumber).blocked].map((person) => person.phoneNumber),
    linkedDevices: ({ phoneNumber }) =>
      [...directory.account(phoneNumber).companions.values()].map((companion) => ({
        device: companion.device,
        connected: switchboard.ofCompanion(companion) !== undefined,
      })),
    fromPhone: async ({ phoneNumber }, to, message) => {
      const recipient = 'subject' in to ? directory.group(to.jid) : directory.contact(to.phoneNumber);
      const chat = { account: directory.account(phoneNumber), to: recipient };
      return mirror(network, chat, await toProto(message, network.media));
    },
    handOn: async ({ phoneNumber }, from, id, message) => {
      const chat = { account: directory.account(phoneNumber), from: directory.contact(from.phoneNumber), id };
      return handOn(network, chat, await toProto(message, network.media));
    },
  };
}
