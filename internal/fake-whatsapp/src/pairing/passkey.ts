import { createHash, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import { Curve, aesDecryptGCM, bytesToCrockford, hkdf, proto } from '@whiskeysockets/baileys';
import type { KeyPair } from '@whiskeysockets/baileys';
import type { Connection } from '../connection/connection.ts';
import type { LinkedAccount } from '../directory/linked-account.ts';
import { SERVER, bytesOf, child, seconds, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { pair } from './pair.ts';
import type { PairingSecrets } from './pair.ts';
import { USER_PRESENT, USER_VERIFIED } from './software-passkey.ts';
import type { PasskeyAssertion, RequiredPasskey } from './software-passkey.ts';

// The server's and the phone's side of whatsmeow's `pair-passkey.go`.

const RP_ID = 'whatsapp.com';
const ORIGIN = 'https://web.whatsapp.com';
const TIMEOUT_MS = 600_000;
/** How long the phone lets a client prove that it showed the QR; afterwards, the owner compares a code. */
const HANDOFF_MS = 300_000;

interface Ceremony {
  readonly account: LinkedAccount;
  readonly passkey: RequiredPasskey;
  readonly secrets: PairingSecrets;
  readonly since: number;
  /** The open request; null once it was answered. */
  request: { readonly challenge: string; readonly until: number } | null;
  ref: string | null;
  prologue: Prologue | null;
  /** The client's nonce, once it has matched the commitment. */
  nonce: Buffer | null;
}

interface Prologue {
  readonly identity: Uint8Array;
  readonly clientKey: Uint8Array;
  readonly commitment: Uint8Array;
  readonly ephemeral: KeyPair;
  readonly phoneNonce: Buffer;
}

const ceremonies = new WeakMap<Connection, Ceremony>();

/** Asks a client for the passkey of the account that it wants to be linked to. */
export function askForPasskey(
  connection: Connection,
  { account, passkey, secrets }: Pick<Ceremony, 'account' | 'passkey' | 'secrets'>,
): void {
  const { network } = connection;
  const nothing = { request: null, ref: null, prologue: null, nonce: null };
  const ceremony: Ceremony = { account, passkey, secrets, since: network.now(), ...nothing };
  ceremonies.set(connection, ceremony);
  const options = passkey.withholdsOptions ? [] : [newRequest(connection, ceremony)];
  notify(connection, 'passkey_prologue_request', options);
}

export function onPasskeyOptions(connection: Connection, query: Stanza): void {
  connection.reply(query, [newRequest(connection, ceremonyOf(connection))]);
}

export function onPasskeyRef(connection: Connection, query: Stanza): void {
  const ceremony = ceremonyOf(connection);
  ceremony.ref = `2@${randomBytes(24).toString('base64')}`;
  connection.reply(query, [stanza('ref', {}, Buffer.from(ceremony.ref))]);
}

/** The browser's answer: refused, or followed by the key of the phone. */
export function onPasskeyPrologue(connection: Connection, query: Stanza): void {
  const ceremony = ceremonyOf(connection);
  const sent = child(query, 'passkey_prologue');
  if (sent === undefined) throw new Error('an empty prologue');
  const flaw = flawInAssertion(connection, ceremony, sent);
  ceremony.request = null;
  if (flaw !== null) return connection.refuse(query, 401, flaw);
  const payload = bytesOf(sent, 'prologue_payload');
  const { companionEphemeralIdentity: identity, commitment } = proto.ProloguePayload.decode(payload);
  const companion = proto.CompanionEphemeralIdentity.decode(identity ?? Buffer.alloc(0));
  if (companion.ref !== ceremony.ref || companion.deviceType !== proto.DeviceProps.PlatformType.CHROME) {
    throw new Error('the client names another ref or device than it has');
  }
  checkProof(connection, ceremony, { sent, payload });
  const phoneNonce = randomBytes(32);
  const ephemeral = Curve.generateKeyPair();
  ceremony.prologue = {
    identity: identity ?? Buffer.alloc(0),
    clientKey: companion.publicKey ?? Buffer.alloc(0),
    commitment: commitment?.hash ?? Buffer.alloc(0),
    ephemeral,
    phoneNonce,
  };
  connection.reply(query);
  if (ceremony.passkey.phoneIsAway) return;
  const key = proto.PrimaryEphemeralIdentity.encode({
    publicKey: ephemeral.public,
    nonce: phoneNonce,
  }).finish();
  const deliverKey = (): void =>
    notify(connection, 'crsc_continuation', [stanza('primary_ephemeral_identity', {}, key)]);
  deliverKey();
  if (ceremony.passkey.repeatsKey === true) deliverKey();
}

/** The client opens its commitment, so that it could not choose its nonce by that of the phone. */
export function onCompanionNonce(connection: Connection, query: Stanza): void {
  const ceremony = ceremonyOf(connection);
  const nonce = bytesOf(query, 'companion_nonce');
  const { identity = Buffer.alloc(0), commitment = Buffer.alloc(0) } = ceremony.prologue ?? {};
  const hash = createHash('sha256').update(identity).update(nonce).digest();
  if (!hash.equals(commitment)) throw new Error('the client has committed itself to another nonce');
  ceremony.nonce = nonce;
  connection.reply(query);
}

/** Links the client by the keys that it sends the phone. */
export function onPairingRequest(connection: Connection, query: Stanza): void {
  const ceremony = ceremonyOf(connection);
  const { prologue, ref, account } = ceremony;
  if (prologue === null || ceremony.nonce === null) throw new Error('a pairing request before the nonce');
  const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(
    bytesOf(query, 'encrypted_pairing_request'),
  );
  const shared = Curve.sharedKey(prologue.ephemeral.private, prologue.clientKey);
  const salt = Buffer.from(`Companion Pairing ${proto.DeviceProps.PlatformType.CHROME} with ref ${ref}`);
  const key = hkdf(shared, 32, { salt, info: 'Pairing Information Encryption Key' });
  const plain = aesDecryptGCM(encryptedPayload ?? NOTHING, key, iv ?? NOTHING, NOTHING);
  const request = proto.PairingRequest.decode(plain);
  const isKnown = connection.clientKey.equals(request.companionPublicKey ?? NOTHING);
  if (!isKnown) throw new Error('the client sends the phone another key than it has');
  connection.reply(query);
  ceremonies.delete(connection);
  pair(connection, account, {
    identity: Buffer.from(request.companionIdentityKey ?? NOTHING),
    advSecret: Buffer.from(request.advSecret ?? NOTHING),
  });
}

/** The code that the phone of this account shows, for its owner to compare; null if it shows none. */
export function shownCode(connection: Connection): string | null {
  const ceremony = ceremonies.get(connection);
  if (!ceremony?.prologue || !ceremony.nonce) return null;
  const { ephemeral, phoneNonce } = ceremony.prologue;
  const digest = createHash('sha256').update(ceremony.nonce).update(ephemeral.public).digest();
  const mixed = phoneNonce.subarray(0, 5).map((byte, i) => byte ^ (digest[i] ?? 0));
  const letters = bytesToCrockford(Buffer.from(mixed));
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

export function isForAccount(connection: Connection, phoneNumber: string): boolean {
  return ceremonies.get(connection)?.account.phoneNumber === phoneNumber;
}

const NOTHING = Buffer.alloc(0);

function ceremonyOf(connection: Connection): Ceremony {
  const ceremony = ceremonies.get(connection);
  if (ceremony === undefined) throw new Error('a stanza about a passkey that was not asked for');
  return ceremony;
}

function newRequest(connection: Connection, ceremony: Ceremony): Stanza {
  const challenge = randomBytes(32).toString('base64url');
  const timeout = ceremony.passkey.timeoutMs ?? TIMEOUT_MS;
  ceremony.request = { challenge, until: connection.network.now() + timeout };
  // Clients reported these options in July 2026.
  const options = {
    challenge,
    timeout,
    rpId: RP_ID,
    allowCredentials: [],
    userVerification: 'required',
    extensions: { uvm: true },
  };
  return stanza('passkey_request_options', {}, Buffer.from(JSON.stringify(options)));
}

function notify(connection: Connection, type: string, content: Stanza[]): void {
  const { network } = connection;
  const attrs = { id: network.newStanzaId(), from: SERVER, type, t: seconds(network.now()) };
  connection.send(stanza('notification', attrs, content));
}

/** Verifies the assertion as the network does (WebAuthn, section 7.2); returns what is wrong, or null. */
function flawInAssertion(
  connection: Connection,
  { request, passkey }: Ceremony,
  sent: Stanza,
): string | null {
  if (request === null) return 'replayed';
  if (connection.network.now() >= request.until) return 'expired';
  const assertion: PasskeyAssertion = JSON.parse(bytesOf(sent, 'webauthn_assertion').toString());
  const { response } = assertion;
  const clientDataBytes = Buffer.from(response.clientDataJSON, 'base64url');
  const clientData = JSON.parse(clientDataBytes.toString());
  if (clientData.type !== 'webauthn.get') return 'type';
  if (clientData.challenge !== request.challenge) return 'challenge';
  if (clientData.origin !== ORIGIN) return 'origin';
  const id = bytesOf(sent, 'credential_id').toString('base64url');
  if (id !== passkey.credentialId || assertion.rawId !== id) return 'credential';
  const data = Buffer.from(response.authenticatorData, 'base64url');
  if (!data.subarray(0, 32).equals(createHash('sha256').update(RP_ID).digest())) return 'domain';
  const needed = USER_PRESENT | USER_VERIFIED;
  if (((data[32] ?? 0) & needed) !== needed) return 'verification';
  const key = createPublicKey({ key: Buffer.from(passkey.publicKey, 'base64'), format: 'der', type: 'spki' });
  const signed = Buffer.concat([data, createHash('sha256').update(clientDataBytes).digest()]);
  return verify('sha256', signed, key, Buffer.from(response.signature, 'base64url')) ? null : 'signature';
}

/** A proof is expected while it can be given, and must be right; without it, the phone shows a code. */
function checkProof(
  connection: Connection,
  { since, secrets, passkey }: Ceremony,
  { sent, payload }: { readonly sent: Stanza; readonly payload: Uint8Array },
): void {
  const proof = child(sent, 'pairing_handoff_proof') && bytesOf(sent, 'pairing_handoff_proof');
  if (proof === undefined) {
    if (connection.network.now() < since + (passkey.handoffMs ?? HANDOFF_MS))
      throw new Error('the client does not prove the handoff');
    return;
  }
  const key = hkdf(secrets.advSecret, 32, { info: 'shortcake-passkey-handoff-v1' });
  if (!createHmac('sha256', key).update(payload).digest().equals(proof)) {
    throw new Error('the client proves the handoff with another secret');
  }
}
