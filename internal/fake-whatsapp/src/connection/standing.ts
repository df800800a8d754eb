import type { LinkedAccount } from '../directory/linked-account.ts';
import type { Standing } from '../directory/standing.ts';
import type { Network } from '../network.ts';
import { SERVER, child, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Connection } from './connection.ts';

/** The two queries about a number's standing, by their ids, and the names of the responses. */
const QUERIES = {
  '23983697327930364': { name: 'xwa2_fetch_account_reachout_timelock', read: timelock },
  '24503548349331633': { name: 'xwa2_message_capping_info', read: capping },
} as const;

export function respondToStandingQuery(connection: Connection, query: Stanza): void {
  const id = child(query, 'query')?.attrs['query_id'] ?? '';
  const known = Object.entries(QUERIES).find(([queryId]) => queryId === id)?.[1];
  if (known === undefined) throw new Error(`unknown query ${id} of w:mex`);
  const data = { [known.name]: known.read(connection.client.account.standing) };
  connection.reply(query, [stanza('result', {}, Buffer.from(JSON.stringify({ data })))]);
}

/** Reports to every client of the account whether the account may start chats. */
export function notifyOfTimelock(network: Network, account: LinkedAccount): void {
  const data = { xwa2_notify_account_reachout_timelock: timelock(account.standing) };
  notify(network, account, { operation: 'NotificationUserReachoutTimelockUpdate', data });
}

/** Reports to every client of the account how many chats the account may still start. */
export function notifyOfCapping(network: Network, account: LinkedAccount): void {
  const data = { xwa2_notify_new_chat_messages_capping_info_update: capping(account.standing) };
  notify(network, account, { operation: 'MessageCappingInfoNotification', data });
}

interface Update {
  readonly operation: string;
  readonly data: object;
}

function notify(network: Network, account: LinkedAccount, { operation, data }: Update): void {
  const attrs = { id: network.newStanzaId(), type: 'mex', from: SERVER, t: seconds(network.now()) };
  const update = stanza('update', { op_name: operation }, Buffer.from(JSON.stringify({ data })));
  for (const { inbox } of account.companions.values()) inbox.put(stanza('notification', attrs, [update]));
}

function timelock({ lockedUntil }: Standing): object {
  return lockedUntil === null
    ? { is_active: false }
    : { is_active: true, time_enforcement_ends: seconds(lockedUntil), enforcement_type: 'BIZ_QUALITY' };
}

function capping({ cappedUntil }: Standing): object {
  return cappedUntil === null
    ? { capping_status: 'NONE', total_quota: 100, used_quota: 1 }
    : {
        capping_status: 'CAPPED',
        total_quota: 100,
        used_quota: 100,
        cycle_end_timestamp: seconds(cappedUntil),
      };
}
