import {
  Curve,
  NOISE_MODE,
  NOISE_WA_HEADER,
  aesDecryptGCM,
  aesEncryptGCM,
  hkdf,
  proto,
  sha256,
} from '@whiskeysockets/baileys';
import type { KeyPair } from '@whiskeysockets/baileys';

const NOTHING = Buffer.alloc(0);

/** The server's side of Noise_XX_25519_AESGCM_SHA256, and the transport after the handshake. */
export class NoiseResponder {
  readonly #static: KeyPair;
  readonly #certificate: Uint8Array;
  readonly #ephemeral = Curve.generateKeyPair();
  #hash: Buffer = Buffer.from(NOISE_MODE, 'latin1');
  #chainingKey: Buffer = this.#hash;
  #key: Buffer = this.#hash;
  #counter = 0;
  #transport: { readonly send: Buffer; readonly receive: Buffer } | undefined;
  #sent = 0;
  #received = 0;

  constructor(staticKey: KeyPair, certificate: Uint8Array) {
    this.#static = staticKey;
    this.#certificate = certificate;
    this.#mixHash(NOISE_WA_HEADER);
  }

  hello(bytes: Uint8Array): Uint8Array {
    const theirs = present(proto.HandshakeMessage.decode(bytes).clientHello?.ephemeral, 'ephemeral key');
    this.#mixHash(theirs);
    this.#mixHash(this.#ephemeral.public);
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, theirs));
    const encryptedStatic = this.#encrypt(this.#static.public);
    this.#mixKey(Curve.sharedKey(this.#static.private, theirs));
    const payload = this.#encrypt(this.#certificate);
    const serverHello = { ephemeral: this.#ephemeral.public, static: encryptedStatic, payload };
    return proto.HandshakeMessage.encode({ serverHello }).finish();
  }

  /** Ends the handshake. Returns the client's key and the payload of its login. */
  finish(bytes: Uint8Array): { readonly clientKey: Buffer; readonly payload: proto.ClientPayload } {
    const finish = proto.HandshakeMessage.decode(bytes).clientFinish;
    const clientKey = this.#decrypt(present(finish?.static, 'static key'));
    this.#mixKey(Curve.sharedKey(this.#ephemeral.private, clientKey));
    const payload = proto.ClientPayload.decode(this.#decrypt(present(finish?.payload, 'payload')));
    const [receive, send] = split(hkdf(NOTHING, 64, { salt: this.#chainingKey, info: '' }));
    this.#transport = { send, receive };
    return { clientKey, payload };
  }

  seal(plaintext: Uint8Array): Buffer {
    return aesEncryptGCM(plaintext, this.#keys().send, nonce(this.#sent++), NOTHING);
  }

  open(ciphertext: Uint8Array): Buffer {
    return aesDecryptGCM(ciphertext, this.#keys().receive, nonce(this.#received++), NOTHING);
  }

  #keys() {
    return present(this.#transport, 'transport keys before the handshake ended');
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = sha256(Buffer.concat([this.#hash, data]));
  }

  #mixKey(material: Uint8Array): void {
    [this.#chainingKey, this.#key] = split(
      hkdf(Buffer.from(material), 64, { salt: this.#chainingKey, info: '' }),
    );
    this.#counter = 0;
  }

  #encrypt(plaintext: Uint8Array): Buffer {
    const ciphertext = aesEncryptGCM(plaintext, this.#key, nonce(this.#counter++), this.#hash);
    this.#mixHash(ciphertext);
    return ciphertext;
  }

  #decrypt(ciphertext: Uint8Array): Buffer {
    const plaintext = aesDecryptGCM(ciphertext, this.#key, nonce(this.#counter++), this.#hash);
    this.#mixHash(ciphertext);
    return plaintext;
  }
}

function nonce(counter: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(counter, 8);
  return bytes;
}

function split(keys: Uint8Array): [Buffer, Buffer] {
  const bytes = Buffer.from(keys);
  return [bytes.subarray(0, 32), bytes.subarray(32)];
}

function present<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new Error(`handshake: no ${name}`);
  return value;
}
