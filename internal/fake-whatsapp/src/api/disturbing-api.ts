import { replaced } from '../connection/login.ts';
import { QueryLimit } from '../connection/query-limit.ts';
import type { QueryRate } from '../connection/query-limit.ts';
import type { Switchboard } from '../connection/switchboard.ts';
import type { LoginRefusal } from '../disturbances.ts';
import type { Network } from '../network.ts';
import { stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Account } from './directory-api.ts';

interface StreamError {
  /** Such as 515 (restart), 503 or 500; omitted if `child` contains the error. */
  readonly code?: number;
  readonly child?: { readonly tag: string; readonly attrs?: Readonly<Record<string, string>> };
}

/** Faults that a test causes in the network. */
export interface DisturbingApi {
  /** Accepts messages and read receipts, but holds back their acks. */
  holdAcks(): void;
  /** Sends the held acks to clients that are still connected. */
  releaseAcks(): void;
  /** The account's next message gets an error, such as 479 or 463, and is not delivered. */
  refuseNextMessage(from: Account, code: number): void;
  /** The account's next message is lost on the way: it gets no ack, and is not delivered. */
  loseNextMessage(from: Account): void;
  /** Sends the client a stanza that the test made. */
  deliverStanza(account: Account, node: Stanza): void;
  streamError(account: Account, error: StreamError): void;
  /** Ends the connection as if another client had replaced it (440). */
  replace(account: Account): void;
  /**
   * Every login of the account gets this failure: 401, 402, 403, 405, 406, 411, 503, … With `expire`, the failure says
   * in how many seconds it will end; `says` are further attributes, by default the reason of a 402 and the message to
   * the owner of a 403, as in whatsmeow's `connectionevents.go`.
   */
  refuseLogin(account: Account, reason: number, options?: Omit<LoginRefusal, 'reason'>): void;
  allowLogin(account: Account): void;
  /** Requests for a pairing code get this error, such as 400 or 429. */
  refusePairingCodes(code: number): void;
  /** Clients whose code has been typed get this error and are not linked; without `code`, linking works again. */
  refuseTypedCodes(code?: number): void;
  /** Upgrades to WebSocket get this HTTP status, or no response at all. */
  refuseUpgrades(response: number | 'silence'): void;
  allowUpgrades(): void;
  /** Clients that log in are not notified that their backlog is complete, so they keep holding events back. */
  withholdOfflineMark(): void;
  /**
   * A stanza that a client acknowledges with an error stays in the queue, and everything behind it waits, even after
   * the next login. Seen on accounts with many statuses.
   */
  keepRefused(): void;
  /**
   * Queries named like `w:g2/get/query` or `usync/get/usync` get no response; without names, no query gets a response.
   */
  muteQueries(...names: readonly string[]): void;
  unmuteQueries(): void;
  /**
   * The next `times` queries of this name (one by default) get this error, such as 429 for queries that come too often.
   */
  refuseQueries(name: string, code: number, times?: number): void;
  /** Limits how many of these queries, taken together, an account may make per interval; further queries get 429. */
  limitQueries(rate: QueryRate, ...names: readonly string[]): void;
  unlimitQueries(): void;
  /** Ends the connection without an error. */
  drop(account: Account): void;
  /** Makes the connection half-open: the server neither reads nor writes. */
  freeze(account: Account): void;
}

const WORDS: Readonly<Record<number, LoginRefusal['says']>> = {
  402: { code: '101' },
  403: {
    logout_message_header: 'Your account is under review',
    logout_message_subtext: 'A review usually takes a day.',
  },
};

export function disturbingApi(network: Network, switchboard: Switchboard): DisturbingApi {
  const { disturbances, directory } = network;
  const connectionOf = ({ phoneNumber }: Account) => switchboard.ofAccount(directory.account(phoneNumber));
  return {
    holdAcks: () => disturbances.holdAcks(),
    releaseAcks: () => disturbances.releaseAcks(),
    refuseNextMessage: ({ phoneNumber }, code) => disturbances.disturbNextMessage(phoneNumber, code),
    loseNextMessage: ({ phoneNumber }) => disturbances.disturbNextMessage(phoneNumber, 'lose'),
    deliverStanza: (account, node) => connectionOf(account).send(node),
    streamError: (account, { code, child }) => {
      const children = child === undefined ? [] : [stanza(child.tag, child.attrs)];
      const attrs = { code: code === undefined ? undefined : String(code) };
      connectionOf(account).sendLast(stanza('stream:error', attrs, children));
    },
    replace: (account) => connectionOf(account).sendLast(replaced()),
    refuseLogin: ({ phoneNumber }, reason, options = {}) =>
      disturbances.refuseLogin(phoneNumber, { reason, says: WORDS[reason], ...options }),
    allowLogin: ({ phoneNumber }) => disturbances.refuseLogin(phoneNumber, undefined),
    refusePairingCodes: (code) => {
      disturbances.codeRefusal = code;
    },
    refuseTypedCodes: (code) => {
      disturbances.typedCodeRefusal = code;
    },
    refuseUpgrades: (response) => {
      disturbances.upgradeResponse = response;
    },
    allowUpgrades: () => {
      disturbances.upgradeResponse = undefined;
    },
    withholdOfflineMark: () => {
      disturbances.withholdsOfflineMark = true;
    },
    keepRefused: () => {
      disturbances.keepsRefused = true;
    },
    muteQueries: (...names) => disturbances.mute(names),
    unmuteQueries: () => disturbances.unmute(),
    refuseQueries: (name, code, times = 1) => disturbances.refuseQueries(name, code, times),
    limitQueries: (rate, ...names) => {
      disturbances.queryLimit = new QueryLimit(rate, names);
    },
    unlimitQueries: () => {
      disturbances.queryLimit = undefined;
    },
    drop: (account) => {
      connectionOf(account).drop();
      network.noteDisturbed(account, 'connection');
    },
    freeze: (account) => connectionOf(account).freeze(),
  };
}
