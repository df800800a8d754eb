import type { proto } from '@whiskeysockets/baileys';
import { seconds, stanza } from '../stanza.ts';
import { LinkedAccount } from '../directory/linked-account.ts';
import type { LoginRefusal } from '../disturbances.ts';
import type { Connection } from './connection.ts';
import type { Switchboard } from './switchboard.ts';

const UNKNOWN_DEVICE: LoginRefusal = { reason: 401 };
const OLD_VERSION: LoginRefusal = { reason: 405 };

/**
 * Logs a linked client in. Only the key that the client was linked with is accepted; an older connection is replaced.
 */
export function logIn(connection: Connection, payload: proto.ClientPayload, switchboard: Switchboard): void {
  const { directory, chronicle, disturbances, versions, now } = connection.network;
  const phoneNumber = String(payload.username ?? '');
  const account = directory.find(phoneNumber);
  const linked =
    account instanceof LinkedAccount ? account.companions.get(Number(payload.device ?? 0)) : undefined;
  const known = linked !== undefined && connection.clientKey.equals(linked.noiseKey);

  const old = versions.canLogIn(connection.version) ? undefined : OLD_VERSION;
  const refusal = disturbances.loginRefusal(phoneNumber) ?? old ?? (known ? undefined : UNKNOWN_DEVICE);
  if (linked === undefined || refusal !== undefined) {
    const { reason, expire, says } = refusal ?? UNKNOWN_DEVICE;
    const attrs = { reason: String(reason), location: 'frc', expire: expire?.toString(), ...says };
    connection.sendLast(stanza('failure', attrs));
    chronicle.actions.add({ type: 'login_refused', account: phoneNumber });
    return;
  }

  switchboard.ofCompanion(linked)?.sendLast(replaced());
  connection.companion = linked;
  const attrs = { t: seconds(now()), lid: linked.lidJid, props: '2', display_name: linked.account.name };
  connection.send(stanza('success', attrs));
}

/** The error for a client whose connection was replaced by another one. */
export function replaced() {
  return stanza('stream:error', {}, [stanza('conflict', { type: 'replaced' })]);
}
