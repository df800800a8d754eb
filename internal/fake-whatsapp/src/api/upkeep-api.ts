import { randomBytes } from 'node:crypto';
import type { Switchboard } from '../connection/switchboard.ts';
import { shareState } from '../messages/own-phone.ts';
import type { Network } from '../network.ts';
import { SERVER, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Account } from './directory-api.ts';

/** Requests that the network makes of a linked client from time to time. */
export interface UpkeepApi {
  /** Uses up the client's one-time keys until `left` remain, and notifies the client. */
  usePreKeys(account: Account, left: number): void;
  preKeyCount(account: Account): number;
  /** Gives the client a routing token, which it has to show at its next connections so that they are routed to `to`. */
  route(account: Account, to: string): void;
  /** The routing token that the client's connection has shown; null if it has shown none. */
  routeOf(account: Account): string | null;
  /**
   * Notifies the client that state shared by the account's devices has changed, so that the client fetches it. Returns
   * the id of the stanza.
   */
  changeAppState(account: Account, collection: string): string;
  /** The phone gives its clients the keys of what the account's devices share, in which the salt is. */
  shareState(account: Account): Promise<void>;
  /** The phone changes the salt that its devices share, or removes it, and clients are notified. */
  changeSalt(account: Account): void;
  removeSalt(account: Account): void;
}

export function upkeepApi(network: Network, switchboard: Switchboard): UpkeepApi {
  const { directory } = network;
  const companionOf = ({ phoneNumber }: Account) => directory.account(phoneNumber).companion;
  const connectionOf = ({ phoneNumber }: Account) => switchboard.ofAccount(directory.account(phoneNumber));
  const notify = (account: Account, type: string, content: Stanza): string => {
    const id = network.newStanzaId();
    // The sender is a jid, because clients compare it with their own jid.
    const attrs = { id, type, from: `@${SERVER}`, t: seconds(network.now()) };
    companionOf(account).inbox.put(stanza('notification', attrs, [content]));
    return id;
  };
  return {
    usePreKeys: (account, left) => {
      companionOf(account).shelf.useUp(left);
      notify(account, 'encrypt', stanza('count', { value: String(left) }));
    },
    preKeyCount: (account) => companionOf(account).shelf.count,
    route: (account, to) => {
      const routing = stanza('edge_routing', {}, [stanza('routing_info', {}, Buffer.from(to))]);
      connectionOf(account).send(stanza('ib', {}, [routing]));
    },
    routeOf: (account) => connectionOf(account).routing?.toString() ?? null,
    shareState: ({ phoneNumber }) => shareState(network, directory.account(phoneNumber)),
    changeSalt: (account) => {
      const { state } = directory.account(account.phoneNumber);
      const salt = randomBytes(32);
      state.setSalt(salt);
      directory.account(account.phoneNumber).nctSalt = salt;
      notify(account, 'server_sync', stanza('collection', { name: 'regular_high' }));
    },
    removeSalt: (account) => {
      directory.account(account.phoneNumber).state.removeSalt();
      directory.account(account.phoneNumber).nctSalt = null;
      notify(account, 'server_sync', stanza('collection', { name: 'regular_high' }));
    },
    changeAppState: (account, collection) =>
      notify(account, 'server_sync', stanza('collection', { name: collection, version: '2' })),
  };
}
