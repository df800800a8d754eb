import type { Connection } from '../connection/connection.ts';
import type { LinkedAccount } from '../directory/linked-account.ts';
import { pair } from './pair.ts';
import type { PairingSecrets } from './pair.ts';
import { askForPasskey } from './passkey.ts';

/**
 * Links a client by the secrets that it has shown the phone. If the account requires its passkey, the client is asked
 * for it first.
 */
export function beginPairing(connection: Connection, account: LinkedAccount, secrets: PairingSecrets): void {
  if (account.passkey) askForPasskey(connection, { account, secrets, passkey: account.passkey });
  else pair(connection, account, secrets);
}
