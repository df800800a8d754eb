import { WA_ADV_ACCOUNT_SIG_PREFIX, WA_ADV_DEVICE_SIG_PREFIX } from '@whiskeysockets/baileys';
import type { proto } from '@whiskeysockets/baileys';
import { isSignatureValid } from '../signal/signature.ts';
import type { Companion } from '../directory/linked-account.ts';

const NOTHING = Buffer.alloc(0);

/** Whether the client has signed that it belongs to the account. */
export function hasSigned(companion: Companion, identity: proto.IADVSignedDeviceIdentity): boolean {
  const { identity: clientKey } = companion;
  const accountKey = companion.account.device.creds.signedIdentityKey.public;
  const message = Buffer.concat([
    WA_ADV_DEVICE_SIG_PREFIX,
    identity.details ?? NOTHING,
    clientKey,
    accountKey,
  ]);
  return isSignatureValid(clientKey, message, identity.deviceSignature ?? NOTHING);
}

/** Whether account and client have each signed for the other, which a phone checks before it trusts a new session. */
export function isIdentityValid(companion: Companion, identity: proto.IADVSignedDeviceIdentity): boolean {
  const accountKey = companion.account.device.creds.signedIdentityKey.public;
  const message = Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, identity.details ?? NOTHING, companion.identity]);
  return (
    isSignatureValid(accountKey, message, identity.accountSignature ?? NOTHING) &&
    hasSigned(companion, identity)
  );
}
