import { createHmac } from 'node:crypto';
import { Curve, WA_ADV_ACCOUNT_SIG_PREFIX, proto } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import { hasSigned } from './device-identity.ts';
import { SERVER, bytesOf, child, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import type { Companion, LinkedAccount } from '../directory/linked-account.ts';

/** The secrets that a client shows a phone, by a QR or by a code. */
export interface PairingSecrets {
  readonly identity: Buffer;
  /** Known only to both sides. Proves to the client that the phone sent the response. */
  readonly advSecret: Buffer;
}

interface Pairing {
  readonly companion: Companion;
  /** The encoded `ADVDeviceIdentity` that the account has signed and the client is to sign. */
  readonly details: Uint8Array;
}

/** Pairings that the client has not signed yet. */
const pending = new WeakMap<Connection, Pairing>();

/** Signs the client's identity with the phone's key, and notifies the client, which has to sign in return. */
export function pair(connection: Connection, account: LinkedAccount, secrets: PairingSecrets): void {
  const { network } = connection;
  const companion = account.newCompanion(secrets.identity, connection.clientKey);
  const details = proto.ADVDeviceIdentity.encode({
    rawId: 1,
    timestamp: Math.floor(network.now() / 1000),
    keyIndex: companion.device,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish();
  const accountKey = account.device.creds.signedIdentityKey;
  const signedByAccount = Buffer.concat([WA_ADV_ACCOUNT_SIG_PREFIX, details, secrets.identity]);
  const identity = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: accountKey.public,
    accountSignature: Curve.sign(accountKey.private, signedByAccount),
  }).finish();
  const hmac = createHmac('sha256', secrets.advSecret).update(identity).digest();

  pending.set(connection, { companion, details });
  const success = stanza('pair-success', {}, [
    stanza(
      'device-identity',
      {},
      proto.ADVSignedDeviceIdentityHMAC.encode({ details: identity, hmac }).finish(),
    ),
    stanza('device', { jid: companion.jid, lid: companion.lidJid }),
    stanza('platform', { name: 'android' }),
  ]);
  const attrs = { from: SERVER, type: 'set', id: network.newStanzaId(), t: seconds(network.now()) };
  connection.send(stanza('iq', attrs, [success]));
}

/** Links a client that has signed, which then has to connect again. */
export function onPairingSigned(connection: Connection, response: Stanza): void {
  const pairing = pending.get(connection);
  const signed = child(response, 'pair-device-sign');
  if (pairing === undefined || signed === undefined) return;
  pending.delete(connection);

  const { companion, details } = pairing;
  const { account } = companion;
  const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(bytesOf(signed, 'device-identity'));
  const isSigned = hasSigned(companion, { details, deviceSignature: deviceSignature ?? Buffer.alloc(0) });
  if (!isSigned) throw new Error('the client signed its pairing wrongly');
  account.companions.set(companion.device, companion);
  connection.network.chronicle.actions.add({ type: 'paired', account: account.phoneNumber });
  connection.sendLast(stanza('stream:error', { code: '515' }));
}
