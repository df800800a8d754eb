import {
  KEY_BUNDLE_TYPE,
  encodeBigEndian,
  generateSignalPubKey,
  getBinaryNodeChildUInt,
} from '@whiskeysockets/baileys';
import { bytesOf, child, children, stanza } from '../stanza.ts';
import type { Stanza } from '../stanza.ts';
import { isSignatureValid } from './signature.ts';
import type { KeyBundle } from './signal-peer.ts';

type PreKey = NonNullable<KeyBundle['preKey']>;
type SignedPreKey = KeyBundle['signedPreKey'];

/** The keys that one linked client uploaded; the server hands each one-time key out once. */
export class PreKeyShelf {
  readonly #identity: Uint8Array;
  readonly #oneTime: PreKey[] = [];
  #registrationId = 0;
  #signed: SignedPreKey | undefined;

  constructor(identity: Uint8Array) {
    this.#identity = identity;
  }

  get isFilled(): boolean {
    return this.#signed !== undefined;
  }

  get count(): number {
    return this.#oneTime.length;
  }

  /** Takes an `<iq xmlns="encrypt" type="set">` with a list of keys. Throws if a signature or the identity is wrong. */
  put(upload: Stanza): void {
    if (!bytesOf(upload, 'identity').equals(this.#identity)) throw new Error('keys of another identity');
    this.#registrationId = getBinaryNodeChildUInt(upload, 'registration', 4) ?? 0;
    this.rotate(upload);
    const list = child(upload, 'list');
    this.#oneTime.push(...children(list, 'key').map(preKeyOf));
  }

  /** Takes a new signed key from `<skey>`. */
  rotate(parent: Stanza): void {
    const node = child(parent, 'skey');
    if (node === undefined) throw new Error('no signed pre-key');
    const signed = { ...preKeyOf(node), signature: bytesOf(node, 'signature') };
    if (!isSignatureValid(this.#identity, signed.publicKey, signed.signature)) {
      throw new Error('the signed pre-key has a wrong signature');
    }
    this.#signed = signed;
  }

  useUp(left: number): void {
    this.#oneTime.splice(left);
  }

  take(): KeyBundle {
    if (this.#signed === undefined) throw new Error('the client has not uploaded its keys yet');
    const preKey = this.#oneTime.shift();
    return {
      registrationId: this.#registrationId,
      identityKey: generateSignalPubKey(this.#identity),
      signedPreKey: this.#signed,
      ...(preKey === undefined ? {} : { preKey }),
    };
  }

  /** Like `take`, as the children of `<user>`, for another client that asks for the keys. */
  takeNodes(): Stanza[] {
    const { registrationId, signedPreKey, preKey } = this.take();
    return [
      stanza('registration', {}, encodeBigEndian(registrationId)),
      stanza('type', {}, KEY_BUNDLE_TYPE),
      stanza('identity', {}, this.#identity),
      stanza('skey', {}, [...keyNodes(signedPreKey), stanza('signature', {}, signedPreKey.signature)]),
      ...(preKey === undefined ? [] : [stanza('key', {}, keyNodes(preKey))]),
    ];
  }
}

function preKeyOf(node: Stanza): PreKey {
  const keyId = getBinaryNodeChildUInt(node, 'id', 3);
  if (keyId === undefined) throw new Error('a pre-key without id');
  return { keyId, publicKey: generateSignalPubKey(bytesOf(node, 'value')) };
}

function keyNodes({ keyId, publicKey }: PreKey): Stanza[] {
  return [
    stanza('id', {}, encodeBigEndian(keyId, 3)),
    stanza('value', {}, Buffer.from(publicKey).subarray(1)),
  ];
}
