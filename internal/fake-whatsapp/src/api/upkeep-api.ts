import type { Switchboard } from '../connection/switchboard.ts';
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
    changeAppState: (account, collection) =>
      notify(account, 'server_sync', stanza('collection', { name: collection, version: '2' })),
  };
}
