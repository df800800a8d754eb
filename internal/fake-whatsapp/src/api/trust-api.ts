import type { AddressingMode } from '../directory/contact.ts';
import { giveToken } from '../messages/trust-token.ts';
import type { Network } from '../network.ts';
import type { Account, Person } from './directory-api.ts';

interface TokenOptions {
  /** When the token was given, in milliseconds; now by default. */
  readonly givenAt?: number;
  /** How the person is named to the client: by LID, the default, or by number. */
  readonly addressing?: AddressingMode;
}

/** Tokens of trusted contacts, which decide who may write to whom. */
export interface TrustApi {
  /** A person's phone gives the account a token; its clients are notified. Returns the id of the stanza. */
  giveToken(from: Person, to: Account, options?: TokenOptions): string;
  /**
   * The person has written to the account's phone before, and given it a token: clients that are linked from now on find
   * it in the history that the phone sends them.
   */
  wroteBefore(from: Person, to: Account, options?: TokenOptions): void;
  /** The phone has so many more chats, each with some messages; 20 by default. */
  fillPhone(account: Account, chats: number): void;
  /** The phone numbers to which clients have given tokens of the account; one entry for each token. */
  tokensGiven(by: Account): readonly string[];
}

export function trustApi(network: Network): TrustApi {
  const { directory } = network;
  return {
    giveToken: (from, to, { givenAt = network.now(), addressing = 'lid' } = {}) =>
      giveToken(network, {
        from: directory.contact(from.phoneNumber),
        to: directory.account(to.phoneNumber),
        givenAt,
        addressing,
      }),
    wroteBefore: (from, to, { givenAt = network.now(), addressing = 'lid' } = {}) => {
      const contact = directory.contact(from.phoneNumber);
      const token = contact.tokens.give(to.phoneNumber, givenAt);
      directory.account(to.phoneNumber).history.known.push({ contact, token, addressing });
    },
    fillPhone: ({ phoneNumber }, chats) => {
      directory.account(phoneNumber).history.otherChats = chats;
    },
    tokensGiven: ({ phoneNumber }) => [...directory.account(phoneNumber).tokensGiven],
  };
}
