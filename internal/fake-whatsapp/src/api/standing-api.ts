import { notifyOfCapping, notifyOfTimelock } from '../connection/standing.ts';
import type { Network } from '../network.ts';
import type { Account } from './directory-api.ts';

interface StandingOptions {
  /** Whether the network notifies clients. By default, it tells them only when they ask. */
  readonly isNotified?: boolean;
}

/** The network's limits on a number. Times are in milliseconds, and null ends a limit. */
export interface StandingApi {
  /** The account may not start chats until `until`. */
  lockNewChats(account: Account, until: number | null, options?: StandingOptions): void;
  /** The account has reached its limit of new chats until `until`. */
  capNewChats(account: Account, until: number | null, options?: StandingOptions): void;
}

export function standingApi(network: Network): StandingApi {
  const { directory } = network;
  return {
    lockNewChats: ({ phoneNumber }, until, { isNotified = false } = {}) => {
      const account = directory.account(phoneNumber);
      account.standing.lockedUntil = until;
      if (isNotified) notifyOfTimelock(network, account);
    },
    capNewChats: ({ phoneNumber }, until, { isNotified = false } = {}) => {
      const account = directory.account(phoneNumber);
      account.standing.cappedUntil = until;
      if (isNotified) notifyOfCapping(network, account);
    },
  };
}
