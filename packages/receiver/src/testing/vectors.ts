import content from '../../vectors/signature.json' with { type: 'json' };
import type { VerifyFailureReason } from '../verify.ts';

export interface Vectors {
  readonly about: string;
  readonly signatures: readonly SignatureVector[];
  readonly requests: readonly RequestVector[];
  readonly standard_signatures: readonly StandardSignatureVector[];
  /** Requests that are decided by the headers of Standard Webhooks. */
  readonly standard_requests: readonly RequestVector[];
}

/** The expected result of `signWebhook()`. */
export interface SignatureVector {
  readonly secret: string;
  readonly timestamp: string;
  /** Base64. */
  readonly body: string;
  readonly signature: string;
}

/** The expected result of `signStandardWebhook()`. */
export interface StandardSignatureVector extends SignatureVector {
  readonly id: string;
}

/** The expected result of `verify()`. */
export interface RequestVector {
  readonly name: string;
  /** One secret, or several, one of which has to match. */
  readonly secret: string | readonly string[];
  /** A list if the request has the header several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Base64. */
  readonly body: string;
  /** Unix time in seconds. */
  readonly received_at: number;
  /** In seconds; 300 by default. */
  readonly tolerance?: number;
  readonly expect:
    | { readonly ok: true; readonly event_id: string }
    | { readonly ok: false; readonly reason: VerifyFailureReason };
}

/** Valid requests, and requests that are wrong in every way we know of: for a verifier in any language. */
// TypeScript reads the file's texts as `string`, and each of its headers as a property of all.
export const vectors: Vectors = content as unknown as Vectors;
