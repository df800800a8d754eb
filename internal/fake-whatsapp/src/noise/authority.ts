import { Curve, WA_CERT_DETAILS, proto } from '@whiskeysockets/baileys';
import type { KeyPair } from '@whiskeysockets/baileys';

const DAY_SECONDS = 24 * 60 * 60;
const HALF_A_DAY_MS = 12 * 60 * 60 * 1000;
const { Details } = proto.CertChain.NoiseCertificate;

/** Signs the certificate that the server presents in the handshake: root → intermediate → leaf. */
export class NoiseAuthority {
  readonly #root: KeyPair = Curve.generateKeyPair();
  readonly #now: () => number;
  #shown: { readonly chain: Uint8Array; readonly key: Uint8Array; readonly at: number } | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The key that a client has to trust. */
  get publicKey(): Uint8Array {
    return this.#root.public;
  }

  /** Signs a key at most once every half day, because a signature takes several milliseconds. */
  chainFor(key: Uint8Array): Uint8Array {
    const at = this.#now();
    if (this.#shown?.key !== key || Math.abs(at - this.#shown.at) > HALF_A_DAY_MS)
      this.#shown = { chain: this.#sign(key), key, at };
    return this.#shown.chain;
  }

  #sign(serverKey: Uint8Array): Uint8Array {
    const intermediate = Curve.generateKeyPair();
    const intermediateDetails = this.#details(1, WA_CERT_DETAILS.SERIAL, intermediate.public);
    const leafDetails = this.#details(2, 1, serverKey);
    return proto.CertChain.encode({
      leaf: { details: leafDetails, signature: Curve.sign(intermediate.private, leafDetails) },
      intermediate: {
        details: intermediateDetails,
        signature: Curve.sign(this.#root.private, intermediateDetails),
      },
    }).finish();
  }

  #details(serial: number, issuerSerial: number, key: Uint8Array): Uint8Array {
    const now = Math.floor(this.#now() / 1000);
    const validity = { notBefore: now - DAY_SECONDS, notAfter: now + DAY_SECONDS };
    return Details.encode({ serial, issuerSerial, key, ...validity }).finish();
  }
}
