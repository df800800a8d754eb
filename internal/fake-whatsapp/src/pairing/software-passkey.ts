import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** The public part of an account's passkey, as the network knows it. */
export interface PublicPasskey {
  /** The id of the passkey, in base64url. */
  readonly credentialId: string;
  /** The P-256 key as SPKI in DER, in base64. */
  readonly publicKey: string;
}

/** How the network and the phone handle the passkey of an account. */
export interface PasskeyRule {
  /** How long a request for the passkey is valid. Default ten minutes. */
  readonly timeoutMs?: number;
  /** How long the phone lets a client prove that it showed the QR. Default five minutes. */
  readonly handoffMs?: number;
  /** The first request has no options, so that the client has to query them. */
  readonly withholdsOptions?: boolean;
  /** The phone does not answer once the passkey was accepted. */
  readonly phoneIsAway?: boolean;
  /** The network delivers the phone's key twice. */
  readonly repeatsKey?: boolean;
}

export type RequiredPasskey = PublicPasskey & PasskeyRule;

/** A passkey in software, with which a test answers in place of a browser. */
export interface SoftwarePasskey extends PublicPasskey {
  /** Answers a request as a browser does: `PublicKeyCredential.toJSON()`. */
  sign(request: PasskeyRequest, changes?: PasskeyChanges): PasskeyAssertion;
}

interface PasskeyRequest {
  readonly challenge: string;
  readonly rpId: string;
}

interface PasskeyChanges {
  readonly challenge?: string;
  /** By default, that of WhatsApp Web. */
  readonly origin?: string;
  /** Whether the person was verified, such as by a fingerprint. Default true. */
  readonly isVerified?: boolean;
}

export interface PasskeyAssertion {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string | null;
  };
}

export const USER_PRESENT = 0x01;
export const USER_VERIFIED = 0x04;

export function createPasskey(): SoftwarePasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16).toString('base64url');
  let counter = 0;
  return {
    credentialId: id,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    sign({ challenge: asked, rpId }, changes = {}) {
      const { challenge = asked, origin = 'https://web.whatsapp.com', isVerified = true } = changes;
      const clientData = JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false });
      const tail = Buffer.alloc(5);
      tail[0] = USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
      tail.writeUInt32BE((counter += 1), 1);
      const authenticatorData = Buffer.concat([createHash('sha256').update(rpId).digest(), tail]);
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: Buffer.from(clientData).toString('base64url'),
          authenticatorData: authenticatorData.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle: null,
        },
      };
    },
  };
}
