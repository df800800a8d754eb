import type { proto } from '@whiskeysockets/baileys';
import { seconds, stanza } from '../stanza.ts';
import { LinkedAccount } from '../directory/linked-account.ts';
import type { Connection } from './connection.ts';
import type { Switchboard } from './switchboard.ts';

/** A linked client comes back. Only the key that it was linked with opens; an older connection of it is replaced. */
export function logIn(connection: Connection, payload: proto.ClientPayload, switchboard: Switchboard): void {
  const { directory, chronicle, disturbances, now } = connection.network;
  const phoneNumber = String(payload.username ?? '');
  const account = directory.find(phoneNumber);
  const linked =
    account instanceof LinkedAccount ? account.companions.get(Number(payload.device ?? 0)) : undefined;
  const known = linked !== undefined && connection.clientKey.equals(linked.noiseKey);

  const refusal = disturbances.loginRefusal(phoneNumber) ?? (known ? undefined : 401);
  if (linked === undefined || refusal !== undefined) {
    connection.sendLast(stanza('failure', { reason: String(refusal ?? 401), location: 'frc' }));
    chronicle.actions.add({ type: 'login_refused', account: phoneNumber });
    return;
  }

  switchboard.ofCompanion(linked)?.sendLast(replaced());
  connection.companion = linked;
  const attrs = { t: seconds(now()), lid: linked.lidJid, props: '2', display_name: linked.account.name };
  connection.send(stanza('success', attrs));
}

/** What a client hears whose connection another one replaced. */
export function replaced() {
  return stanza('stream:error', {}, [stanza('conflict', { type: 'replaced' })]);
}
