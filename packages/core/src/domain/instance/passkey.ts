import { fromBase64url } from '../base-encoding.ts';

/** The options of a request for an assertion, as `PublicKeyCredential.parseRequestOptionsFromJSON` reads them (WebAuthn, level 3). */
export interface PasskeyRequestOptions {
  /** Base64url, as all binary values here. */
  readonly challenge: string;
  /** The domain that the passkey belongs to. */
  readonly rpId: string;
  /** How long the request is valid, in milliseconds. */
  readonly timeout?: number;
  /** Whether the authenticator has to verify the person: `required`, `preferred` or `discouraged`. */
  readonly userVerification?: string;
  /** The passkeys that may answer; if absent or empty, any of the domain. */
  readonly allowCredentials?: readonly PasskeyDescriptor[];
  /** Extensions of WebAuthn that the network asks for. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Names a passkey. */
export interface PasskeyDescriptor {
  /** The kind of credential: `public-key`. */
  readonly type: string;
  /** The id of the passkey, in base64url. */
  readonly id: string;
  /** How the browser may reach the authenticator, such as `internal` or `hybrid`. */
  readonly transports?: readonly string[];
}

/** The browser's answer, as `PublicKeyCredential.toJSON` returns it, with the members that a network needs. */
export interface PasskeyCredential {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    /** Null if the authenticator returns none. */
    readonly userHandle: string | null;
  };
}

/** A step that a network waits for because it links a number only with the passkey of its account. */
export type PasskeyStep =
  /** A browser on `page` has to sign the request with the passkey. */
  | {
      readonly kind: 'assertion';
      readonly options: PasskeyRequestOptions;
      /** The address of a page on which browsers allow the request. */
      readonly page: string;
    }
  /** The network has accepted the passkey, and the phone finishes the linking. */
  | { readonly kind: 'phone' }
  /** A person has to confirm that the phone shows this code. */
  | { readonly kind: 'confirmation'; readonly code: string };

/** The answer of a person to the step of the same kind. */
export type PasskeyAnswer =
  { readonly kind: 'assertion'; readonly credential: PasskeyCredential } | { readonly kind: 'confirmation' };

/** A `PasskeyStep` as it is stored, encrypted. */
export interface StoredPasskeyStep {
  readonly kind: PasskeyStep['kind'];
  readonly sealedStep: string;
  readonly expiresAt: number;
}

/** The `last_error` of an instance while its network waits for the passkey, and afterwards if the passkey was not used in time. */
export const PASSKEY_REQUIRED = 'passkey_required';

/**
 * Returns why the credential cannot be the answer to a request, judged by what the browser has signed; null if it may
 * be. The network verifies the rest.
 */
export function flawInCredential(
  { response }: PasskeyCredential,
  { challenge, rpId }: Pick<PasskeyRequestOptions, 'challenge' | 'rpId'>,
): string | null {
  const signed = readClientData(response.clientDataJSON);
  if (signed?.type !== 'webauthn.get')
    return 'response.clientDataJSON is not the answer to a request for a passkey: copy the whole answer.';
  if (signed.challenge !== challenge.replaceAll('=', ''))
    return 'It answers another request: run the current script, and copy the new answer.';
  const host = URL.parse(String(signed.origin))?.hostname;
  // An app signs with an origin that has no host. The network decides about it.
  if (host && host !== rpId && !host.endsWith(`.${rpId}`))
    return `It was made on ${host}, and has to be made on a page of ${rpId}.`;
  return null;
}

function readClientData(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const data: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64url(text)));
    return typeof data === 'object' && data !== null ? { ...data } : null;
  } catch {
    return null;
  }
}
