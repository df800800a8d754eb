import { checkMisspelling, type OptionNames } from '@trunkline/option-names';
import { bytesOf } from './bytes.ts';
import { readEvent, type WebhookEvent } from './event.ts';
import {
  SIGNATURE_HEADER,
  STANDARD_ID_HEADER,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
  readHeader,
  type WebhookHeaders,
} from './headers.ts';
import { checkSecrets } from './secret.ts';
import { isSignature, signatureMatches } from './signature.ts';
import { isStandardId, isStandardSignature, standardSignatureMatches } from './standard-signature.ts';
import { DEFAULT_TOLERANCE_SECONDS, checkTolerance, isTimestamp, isWithinTolerance } from './timestamp.ts';

/** A request, and the values to check it with. */
export interface VerifyOptions {
  /** The endpoint's whole secret (`whsec_…`). Several secrets while you rotate it, any of which may match. */
  readonly secret: string | readonly string[];
  /** The request's headers: a Fetch `Headers`, Node's `request.headers`, or a plain object. */
  readonly headers: WebhookHeaders;
  /** The raw body as received: not text, and not a parsed body that was serialised again. */
  readonly body: Uint8Array | ArrayBuffer;
  /** When the request arrived, in epoch milliseconds. By default, now. */
  readonly receivedAt?: number;
  /** How many seconds the timestamp may be away from `receivedAt`, in either direction. 300 by default. */
  readonly tolerance?: number;
}

/** Why a request is not a valid webhook. */
export type VerifyFailureReason =
  /** A framework has already parsed the body. The message says how to get the bytes. */
  | 'body_not_bytes'
  /** Only with the headers of Standard Webhooks: the service's own headers have no signed id. */
  | 'missing_id'
  | 'invalid_id'
  | 'missing_timestamp'
  | 'invalid_timestamp'
  | 'timestamp_out_of_tolerance'
  | 'missing_signature'
  | 'invalid_signature_format'
  | 'signature_mismatch'
  /** The signature is valid, but the body is not JSON in UTF-8. */
  | 'invalid_json'
  /** The signature is valid, but the body is not an event. */
  | 'invalid_event';

/** A valid webhook. */
export interface VerifySuccess {
  /** Distinguishes successes from failures. */
  readonly ok: true;
  /** The event. */
  readonly event: WebhookEvent;
}

/** A request that is not a valid webhook. */
export interface VerifyFailure {
  /** Distinguishes failures from successes. */
  readonly ok: false;
  /** Why the request is not valid, as a code. */
  readonly reason: VerifyFailureReason;
  /** The reason in words, for a log. It contains no secret and nothing of the request. */
  readonly message: string;
}

/** The event in a request, or why the request is not valid. */
export type VerifyResult = VerifySuccess | VerifyFailure;

/**
 * Checks whether a webhook comes from the service, and reads its event. Resolves with a result, whatever the request
 * contains. Rejects only if an option is wrong, such as a missing secret, a secret with white space around it, or a
 * tolerance that is not a number.
 *
 * If the request has `X-Service-Timestamp` or `X-Service-Signature`, only these two headers count. Otherwise, for
 * example behind a proxy that removes `X-` headers, those of Standard Webhooks count. They never make up for a wrong
 * signature in the service's own header.
 *
 * The headers `X-Service-Event` and `X-Service-Delivery` are not signed: take the id and the type from the event.
 *
 * @example
 * const result = await verify({ secret, headers: request.headers, body: await request.arrayBuffer() });
 * if (!result.ok) return new Response(result.reason, { status: 400 });
 */
export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  // Callers may spread a request into the options, so unknown names are allowed.
  checkMisspelling('verify', options, OPTION_NAMES);
  const { headers, receivedAt = Date.now(), tolerance = DEFAULT_TOLERANCE_SECONDS } = options;
  const secrets = checkSecrets(options.secret);
  checkTolerance(tolerance);
  if (!Number.isFinite(receivedAt)) throw new TypeError('receivedAt must be a time in epoch milliseconds.');

  const body = bytesOf(options.body);
  if (body === undefined) return failure('body_not_bytes');

  const signed = readSignedHeaders({ headers, receivedAt, tolerance });
  if (!signed.ok) return signed;
  const matches = isRightlySigned({ secrets, body, signed });
  if (!(typeof matches === 'boolean' ? matches : await matches)) return failure('signature_mismatch');

  const read = readEvent(body);
  return read.ok ? read : failure(read.reason);
}

export type SignedHeaders = Signed | VerifyFailure;

interface Signed {
  readonly ok: true;
  /** Present only with the headers of Standard Webhooks. */
  readonly id?: string;
  readonly timestamp: string;
  readonly signature: string;
}

function isRightlySigned({
  secrets,
  body,
  signed: { id, timestamp, signature },
}: {
  readonly secrets: readonly string[];
  readonly body: Uint8Array;
  readonly signed: Signed;
}): boolean | Promise<boolean> {
  return id === undefined
    ? signatureMatches({ secrets, timestamp, body, signature })
    : standardSignatureMatches({ secrets, id, timestamp, body, signature });
}

/** Decides without the body: refuses missing or malformed headers, and a timestamp out of tolerance. */
export function readSignedHeaders(request: RequestToCheck): SignedHeaders {
  const { headers } = request;
  const isThere = (name: string): boolean => readHeader(headers, name) !== undefined;
  const isStandard = !OWN.some(isThere) && STANDARD.some(isThere);
  return isStandard ? readStandardHeaders(request) : readOwnHeaders(request);
}

const OWN = [TIMESTAMP_HEADER, SIGNATURE_HEADER];
const STANDARD = [STANDARD_ID_HEADER, STANDARD_TIMESTAMP_HEADER, STANDARD_SIGNATURE_HEADER];

interface RequestToCheck {
  readonly headers: WebhookHeaders;
  readonly receivedAt: number;
  readonly tolerance: number;
}

function readOwnHeaders({ headers, receivedAt, tolerance }: RequestToCheck): SignedHeaders {
  const timestamp = readHeader(headers, TIMESTAMP_HEADER);
  if (timestamp === undefined) return failure('missing_timestamp');
  if (!isTimestamp(timestamp)) return failure('invalid_timestamp');
  if (!isWithinTolerance(timestamp, receivedAt, tolerance)) return failure('timestamp_out_of_tolerance');

  const signature = readHeader(headers, SIGNATURE_HEADER);
  if (signature === undefined) return failure('missing_signature');
  if (!isSignature(signature)) return failure('invalid_signature_format');
  return { ok: true, timestamp, signature };
}

function readStandardHeaders({ headers, receivedAt, tolerance }: RequestToCheck): SignedHeaders {
  const id = readHeader(headers, STANDARD_ID_HEADER);
  if (id === undefined) return failure('missing_id');
  if (!isStandardId(id)) return failure('invalid_id');

  const timestamp = readHeader(headers, STANDARD_TIMESTAMP_HEADER);
  if (timestamp === undefined) return failure('missing_timestamp', STANDARD_MESSAGES);
  if (!isTimestamp(timestamp)) return failure('invalid_timestamp', STANDARD_MESSAGES);
  if (!isWithinTolerance(timestamp, receivedAt, tolerance)) return failure('timestamp_out_of_tolerance');

  const signature = readHeader(headers, STANDARD_SIGNATURE_HEADER);
  if (signature === undefined) return failure('missing_signature', STANDARD_MESSAGES);
  if (!isStandardSignature(signature)) return failure('invalid_signature_format', STANDARD_MESSAGES);
  return { ok: true, id, timestamp, signature };
}

const OPTION_NAMES: OptionNames<VerifyOptions> = {
  secret: true,
  headers: true,
  body: true,
  receivedAt: true,
  tolerance: true,
};

/** For an unknown framework. */
export const RAW_BODY_FIXES: string =
  "Express: express.raw({ type: () => true }) on this route, before express.json(). Fastify: addContentTypeParser('*', { parseAs: 'buffer' }, " +
  '(request, body, done) => done(null, body)). Next.js, Hono and other Fetch handlers: await request.arrayBuffer(). ' +
  'node:http: Buffer.concat() of the chunks.';

const MESSAGES: Record<VerifyFailureReason, string> = {
  body_not_bytes: `The body must be the bytes as they were received, and is something that a framework made of them. ${RAW_BODY_FIXES}`,
  missing_id: `The request has no ${STANDARD_ID_HEADER} header, and none of the service's own.`,
  invalid_id: `The ${STANDARD_ID_HEADER} header is not one id of 1 to 255 letters, digits, "_" and "-".`,
  missing_timestamp: `The request has no ${TIMESTAMP_HEADER} header.`,
  invalid_timestamp: `The ${TIMESTAMP_HEADER} header is not one whole number of 1 to 12 digits.`,
  timestamp_out_of_tolerance:
    "The request was signed too long ago, or by a clock that is ahead: check this machine's clock.",
  missing_signature: `The request has no ${SIGNATURE_HEADER} header.`,
  invalid_signature_format: `The ${SIGNATURE_HEADER} header is not one "v1=" with 64 hexadecimal characters.`,
  signature_mismatch:
    'The signature does not belong to this body, timestamp and secret: check that the secret is the one of this endpoint, and the body the raw bytes.',
  invalid_json: 'The signature is right, but the body is not JSON in UTF-8.',
  invalid_event: 'The signature is right, but the body is not an event.',
};

const STANDARD_MESSAGES: Record<VerifyFailureReason, string> = {
  ...MESSAGES,
  missing_timestamp: `The request has no ${STANDARD_TIMESTAMP_HEADER} header.`,
  invalid_timestamp: `The ${STANDARD_TIMESTAMP_HEADER} header is not one whole number of 1 to 12 digits.`,
  missing_signature: `The request has no ${STANDARD_SIGNATURE_HEADER} header.`,
  invalid_signature_format: `The ${STANDARD_SIGNATURE_HEADER} header is not one "v1," with the base64 of 32 bytes.`,
};

function failure(reason: VerifyFailureReason, messages = MESSAGES): VerifyFailure {
  return { ok: false, reason, message: messages[reason] };
}
