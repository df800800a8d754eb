import content from '../../vectors/signature.json' with { type: 'json' };
import type { VerifyFailureReason } from '../verify.ts';

/** Examples for tests of a verifier. */
export interface Vectors {
  /** The purpose of the examples. */
  readonly about: string;
  /** Signatures in the service's own form. */
  readonly signatures: readonly SignatureVector[];
  /** Valid and invalid requests. */
  readonly requests: readonly RequestVector[];
  /** Signatures in the form of Standard Webhooks. */
  readonly standard_signatures: readonly StandardSignatureVector[];
  /** Valid and invalid requests with headers of Standard Webhooks. */
  readonly standard_requests: readonly RequestVector[];
}

/** The input and expected result of `signWebhook()`. */
export interface SignatureVector {
  /** The endpoint's whole secret. */
  readonly secret: string;
  /** The value of the timestamp header. */
  readonly timestamp: string;
  /** Base64. */
  readonly body: string;
  /** The value of the signature header. */
  readonly signature: string;
}

/** The input and expected result of `signStandardWebhook()`. */
export interface StandardSignatureVector extends SignatureVector {
  /** The value of the id header. */
  readonly id: string;
}

/** The input and expected result of `verify()`. */
export interface RequestVector {
  /** A description of the request. */
  readonly name: string;
  /** One secret, or several, any of which may match. */
  readonly secret: string | readonly string[];
  /** A list if the request has the header several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Base64. */
  readonly body: string;
  /** Unix time in seconds. */
  readonly received_at: number;
  /** In seconds; 300 by default. */
  readonly tolerance?: number;
  /** The result that `verify()` has to return. */
  readonly expect:
    | {
        /** Whether the request is valid. */
        readonly ok: true;
        /** The id of the event in a valid request. */
        readonly event_id: string;
      }
    | {
        /** Whether the request is valid. */
        readonly ok: false;
        /** Why the request is not valid. */
        readonly reason: VerifyFailureReason;
      };
}

/** Valid requests, and requests that are wrong in every way we know of, for tests of a verifier in any language. */
// TypeScript widens the file's texts to `string`, and gives each request the headers of all.
export const vectors: Vectors = content as unknown as Vectors;
