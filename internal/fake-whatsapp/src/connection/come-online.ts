import { sendHistory } from '../messages/own-phone.ts';
import { stanza } from '../stanza.ts';
import type { Connection } from './connection.ts';

/**
 * Sends the client its messages: first those that arrived while it was offline, in batches between a notice and an end
 * mark, then live messages.
 */
export async function comeOnline(connection: Connection): Promise<void> {
  const { client, network } = connection;
  const count = String(client.inbox.size);
  const preview = { count, message: count, receipt: '0', notification: '0', appdata: '0' };
  connection.send(stanza('ib', {}, [stanza('offline_preview', preview)]));
  client.inbox.connect(connection, () => {
    if (network.disturbances.withholdsOfflineMark) return;
    connection.send(stanza('ib', {}, [stanza('offline', { count })]));
  });
  if (!client.hasHistory) {
    client.hasHistory = true;
    await sendHistory(network, client);
  }
  network.chronicle.actions.add({ type: 'online', account: client.account.phoneNumber });
}
