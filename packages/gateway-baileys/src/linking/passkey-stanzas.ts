import { createHash, createHmac, randomBytes } from 'node:crypto';
import {
  Curve,
  aesEncryptGCM,
  bytesToCrockford,
  getBinaryNodeChildBuffer,
  hkdf,
  proto,
} from '@whiskeysockets/baileys';
import type { AuthenticationCreds, BinaryNode, KeyPair } from '@whiskeysockets/baileys';
import type {
  PasskeyCredential,
  PasskeyDescriptor,
  PasskeyRequestOptions,
} from '@trunkline/core/spi/gateway';

// The stanzas by which a device is linked with a passkey, as whatsmeow's `pair-passkey.go` sends and reads them.

/** The device as it is registered with the network, by the name `Chrome` in `makeSocket`. */
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;
/** The largest options that are read; WhatsApp's have about 200 bytes. */
const OPTIONS_MAX = 16_384;
/** How long WhatsApp lets a browser take, if it does not say. */
const TIMEOUT_MS = 600_000;
const TIMEOUT_MAX_MS = 3_600_000;

/** The secrets of a linking with a passkey, from the answer of the browser on. */
export interface PasskeyCeremony {
  readonly ephemeral: KeyPair;
  readonly nonce: Uint8Array;
  readonly ref: string;
  /** The encryption key of the pairing request; null until the phone has sent its key. */
  readonly key: Uint8Array | null;
}

export type PasskeyOptions = PasskeyRequestOptions & { readonly timeout: number };

/** Returns the request in a stanza; null if it cannot be read. */
export function readOptions(stanza: BinaryNode): PasskeyOptions | null {
  const content = getBinaryNodeChildBuffer(stanza, 'passkey_request_options');
  if (!content || content.length > OPTIONS_MAX) return null;
  try {
    const { challenge, rpId, timeout, userVerification, allowCredentials, extensions } = JSON.parse(
      Buffer.from(content).toString(),
    );
    if (typeof challenge !== 'string' || typeof rpId !== 'string') return null;
    return {
      challenge,
      rpId,
      timeout: timeout > 0 ? Math.min(timeout, TIMEOUT_MAX_MS) : TIMEOUT_MS,
      ...(typeof userVerification === 'string' && { userVerification }),
      ...(Array.isArray(allowCredentials) && { allowCredentials: allowCredentials.flatMap(readDescriptor) }),
      ...(typeof extensions === 'object' && extensions !== null && { extensions }),
    };
  } catch {
    return null;
  }
}

function readDescriptor(value: unknown): PasskeyDescriptor[] {
  const { type, id, transports } = Object(value);
  if (typeof type !== 'string' || typeof id !== 'string') return [];
  const isList = Array.isArray(transports) && transports.every((transport) => typeof transport === 'string');
  return [{ type, id, ...(isList && { transports }) }];
}

/** The key of a proof that this device showed the QR. With the proof, the person need not compare a code. */
export function handoffKey({ advSecretKey }: Pick<AuthenticationCreds, 'advSecretKey'>): Uint8Array {
  return hkdf(Buffer.from(advSecretKey, 'base64'), 32, { info: 'shortcake-passkey-handoff-v1' });
}

export function beginCeremony(ref: string): PasskeyCeremony {
  return { ephemeral: Curve.generateKeyPair(), nonce: randomBytes(32), ref, key: null };
}

/** The browser's answer with our commitment to a key; with `proofKey`, also the proof of the handoff. */
export function prologue(
  { ephemeral, nonce, ref }: PasskeyCeremony,
  { id, rawId, type, response }: PasskeyCredential,
  proofKey: Uint8Array | null,
): BinaryNode {
  const identity = proto.CompanionEphemeralIdentity.encode({
    publicKey: ephemeral.public,
    deviceType: DEVICE_TYPE,
    ref,
  }).finish();
  const payload = proto.ProloguePayload.encode({
    companionEphemeralIdentity: identity,
    commitment: { hash: createHash('sha256').update(identity).update(nonce).digest() },
  }).finish();
  const content = [
    node('credential_id', Buffer.from(rawId, 'base64url')),
    node('webauthn_assertion', Buffer.from(JSON.stringify({ id, rawId, type, response }))),
    node('prologue_payload', payload),
  ];
  if (proofKey)
    content.push(node('pairing_handoff_proof', createHmac('sha256', proofKey).update(payload).digest()));
  return { tag: 'passkey_prologue', attrs: {}, content };
}

/** Returns the ceremony with its key, and the code that the phone shows too. Throws if the stanza cannot be read. */
export function continueCeremony(
  ceremony: PasskeyCeremony,
  stanza: BinaryNode,
): { readonly ceremony: PasskeyCeremony; readonly code: string } {
  const content = getBinaryNodeChildBuffer(stanza, 'primary_ephemeral_identity');
  const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(Buffer.from(content ?? ''));
  if (publicKey?.length !== 32 || nonce?.length !== 32) throw new Error('The phone sent no key.');
  const shared = Curve.sharedKey(ceremony.ephemeral.private, publicKey);
  const key = hkdf(shared, 32, {
    salt: Buffer.from(`Companion Pairing ${DEVICE_TYPE} with ref ${ceremony.ref}`),
    info: 'Pairing Information Encryption Key',
  });
  const digest = createHash('sha256').update(ceremony.nonce).update(publicKey).digest();
  const letters = bytesToCrockford(
    Buffer.from(digest.subarray(0, 5).map((byte, i) => byte ^ (nonce[i] ?? 0))),
  );
  return { ceremony: { ...ceremony, key }, code: `${letters.slice(0, 4)}-${letters.slice(4)}` };
}

export function companionNonce({ nonce }: PasskeyCeremony): BinaryNode {
  return node('companion_nonce', nonce);
}

/** Gives the phone the keys of this device to sign, and the secret with which the phone proves that it has got them. */
export function pairingRequest(key: Uint8Array, creds: AuthenticationCreds): BinaryNode {
  const request = proto.PairingRequest.encode({
    companionPublicKey: creds.noiseKey.public,
    companionIdentityKey: creds.signedIdentityKey.public,
    advSecret: Buffer.from(creds.advSecretKey, 'base64'),
  }).finish();
  const iv = randomBytes(12);
  const encryptedPayload = aesEncryptGCM(request, key, iv, Buffer.alloc(0));
  return node(
    'encrypted_pairing_request',
    proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish(),
  );
}

function node(tag: string, content: Uint8Array): BinaryNode {
  return { tag, attrs: {}, content };
}
