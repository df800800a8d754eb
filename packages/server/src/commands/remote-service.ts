import { createClient } from '@trunkline/http/client';
import type { ApiError, CallResult, Success, TrunklineClient } from '@trunkline/http/client';
import { errorCode, reasonOf } from '../errors/start-error.ts';
import type { Call } from './command.ts';
import { CommandError, EXIT, usageError } from '../errors/command-error.ts';
import { readProfile } from './profiles.ts';
import type { Profile } from './profiles.ts';
import { createServiceFetch, timeoutIn } from './service-fetch.ts';
import type { Shape } from './service-shapes.ts';
import { serviceUrl } from './service-url.ts';

export interface RemoteService {
  readonly client: TrunklineClient;
  /** The address, without `/api/v1` or a trailing slash. */
  readonly url: string;
  /** How long a request may take, and how long a stream may be silent, in milliseconds. */
  readonly timeoutMs: number;
  /** Makes a request to a path outside the API, with the key. */
  fetch(path: string, init: { readonly method: string }): Promise<Response>;
}

const LOCAL = 'http://127.0.0.1:8080';
/** Deeper than any response of the API, but shallow enough to be printed. */
const DEPTH_MAX = 200;
/** The maximum number of characters shown of an error text from the service. */
const MESSAGE_MAX = 1_000;

/**
 * Returns the service that the flags, the environment or a profile names, in this order of precedence. A key is never a
 * flag, because other users of a machine can read command lines.
 */
export async function remoteService(call: Call): Promise<RemoteService> {
  const { environment, output } = call;
  const { url, key: apiKey } = await targetOf(call);
  if (apiKey === undefined)
    throw new CommandError(
      `There is no API key for ${url}: set TRUNKLINE_API_KEY, or keep one with "trunkline profiles add". On the server's machine, "trunkline keys create" makes one.`,
      { exitCode: EXIT.noAccess, code: 'NO_API_KEY' },
    );
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new CommandError('The API key has other than printable characters: copy it again.', {
      exitCode: EXIT.noAccess,
      code: 'NO_API_KEY',
    });
  if (isInTheClear(url))
    output.note(
      `trunkline: the API key goes to ${url} without encryption: use https if that is not a private network.`,
    );
  const timeoutMs = timeoutIn(environment);
  const request = createServiceFetch(url, timeoutMs);
  return {
    client: createClient({ baseUrl: `${url}/api/v1`, apiKey, fetch: request }),
    url,
    timeoutMs,
    fetch: (path, { method }) => {
      const headers = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' };
      return request(`${url}${path}`, { method, signal: call.signal, headers }).catch((cause: unknown) => {
        call.signal.throwIfAborted();
        throw unreachable(url, cause);
      });
    },
  };
}

/** The address of the service, for commands that need no key. */
export async function serviceUrlOf(call: Call): Promise<string> {
  return (await targetOf(call)).url;
}

interface Target {
  readonly url: string;
  readonly key: string | undefined;
}

/**
 * The address and the key come from one source: a profile has both, and TRUNKLINE_API_KEY belongs to `--url`,
 * TRUNKLINE_URL or the default address. A profile's key goes only to the profile's service.
 */
async function targetOf({ environment, options }: Call): Promise<Target> {
  const flag = options.text('profile');
  const name = flag ?? nonEmpty(environment['TRUNKLINE_PROFILE']);
  const apiKey = nonEmpty(environment['TRUNKLINE_API_KEY']);
  const profile = ofService(await readProfile(environment, name));
  const address =
    options.text('url') ?? (flag === undefined ? nonEmpty(environment['TRUNKLINE_URL']) : undefined);
  if (profile && address === undefined && (name !== undefined || apiKey === undefined)) return profile;
  const url = serviceUrl(address ?? LOCAL);
  const ofAddress = profile?.url === url ? profile : undefined;
  if (flag === undefined) return { url, key: apiKey ?? ofAddress?.key };
  if (ofAddress) return ofAddress;
  throw usageError(
    `--url and --profile name different services: the profile ${flag} is of ${profile?.url}. Leave one of them out.`,
  );
}

function ofService(profile: Profile | null): Profile | null {
  return profile && { url: serviceUrl(profile.url), key: profile.key };
}

/** Returns a successful response of the right shape, or throws an error with the exit code for its failure. */
export async function accepted<Reply>(
  service: RemoteService,
  result: Promise<CallResult<Reply>>,
  shape: Shape,
): Promise<Success & Reply> {
  const reply = await result;
  if (!reply.ok) throw failureOf(service.url, reply.error);
  checkShape(service.url, reply, shape);
  return reply;
}

/** Throws if the value does not fit the shape, with an error that names the wrong part. */
export function checkShape(url: string, value: unknown, shape: Shape): void {
  const { error } = isTooDeep(value)
    ? { error: { issues: [{ path: [], message: 'nested too deeply' }] } }
    : shape.safeParse(value);
  if (error === undefined) return;
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  const where = path.length === 0 ? '' : `${path.join('.')}: `;
  throw new CommandError(
    `The response of ${url} is not as the API has it (${where}${message}): check --url, and whether the service has another version than this program.`,
    { exitCode: EXIT.unreachable, code: 'UNEXPECTED_RESPONSE' },
  );
}

/** Avoids recursion, because a deep value would exhaust the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) return true;
    level = level.flatMap((one) => (isObject(one) ? Object.values(one) : []));
  }
  return false;
}

/** Returns the error for a failed request to a path outside the API. */
export async function failedResponse(response: Response): Promise<CommandError> {
  const body: unknown = await response.json().catch(() => null);
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const { code, message, request_id: requestId } = error;
  return refused({
    status: response.status,
    code: typeof code === 'string' ? code : 'UNEXPECTED_RESPONSE',
    message: typeof message === 'string' ? message : `The service responded with HTTP ${response.status}.`,
    requestId: typeof requestId === 'string' ? requestId : null,
  });
}

export function unreachable(url: string, cause: unknown): CommandError {
  if (cause instanceof CommandError) return cause; // already our own error
  const reason = cause instanceof Error ? cause.cause : null;
  const code = errorCode(reason) ?? '';
  // If several addresses were tried, the error has a code, but no message.
  const words = reason instanceof Error ? (reasonOf(reason) || code).slice(0, 300) : '';
  const why = words === '' ? '' : ` (${words})`;
  return new CommandError(
    BAD_CERTIFICATE.test(code)
      ? `The certificate of ${url} is not valid here${why}: have it renewed or corrected. If an authority of your own issued it, name the file of that in NODE_EXTRA_CA_CERTS.`
      : `There is no service at ${url}${why}: start one with "trunkline serve", or name another one with --url or TRUNKLINE_URL.`,
    { exitCode: EXIT.unreachable, code: 'NETWORK_ERROR' },
  );
}

/** The error codes with which OpenSSL and Node reject a certificate. */
const BAD_CERTIFICATE = /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET_ISSUER))/;

/** Returns the command's error for a call's error. If the call was aborted, throws the signal's reason. */
export function failureOf(url: string, error: ApiError): CommandError {
  if (error.code === 'ABORTED') throw error.cause;
  if (error.code === 'NETWORK_ERROR') return unreachable(url, error.cause);
  return refused(error);
}

function refused({
  code,
  status,
  message,
  requestId,
}: Pick<ApiError, 'status' | 'message' | 'requestId'> & { readonly code: string }): CommandError {
  const isKnown = /^[A-Z][A-Z0-9_]{0,63}$/.test(code) && code !== 'UNEXPECTED_RESPONSE';
  const exitCode = isKnown ? exitCodeOf(code, status) : EXIT.unreachable;
  return new CommandError(message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX - 1)}…` : message, {
    exitCode,
    code: isKnown ? code : 'UNEXPECTED_RESPONSE',
    requestId: requestId === null || /^[\w.:-]{1,128}$/.test(requestId) ? requestId : null,
  });
}

function exitCodeOf(code: string, status: number | null): number {
  // Commands request only existing paths, so a server that does not know the path is not Trunkline.
  if (code === 'NOT_FOUND') return EXIT.unreachable;
  if (code === 'VALIDATION_FAILED') return EXIT.usage;
  return status === 401 || status === 403 ? EXIT.noAccess : EXIT.refused;
}

function isInTheClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
