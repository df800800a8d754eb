import { createClient } from '@trunkline/http/client';
import type { ApiError, CallResult, TrunklineClient } from '@trunkline/http/client';
import type { Call } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';
import { readProfile } from './profiles.ts';
import type { Profile } from './profiles.ts';
import { serviceUrl } from './service-url.ts';

export interface RemoteService {
  readonly client: TrunklineClient;
  /** Without `/api/v1`, and without a slash at its end. */
  readonly url: string;
  /** A request beside the API, with the key. */
  fetch(path: string, init?: { readonly method?: string; readonly body?: string }): Promise<Response>;
}

const LOCAL = 'http://127.0.0.1:8080';

/**
 * The service that the flags, the environment or a profile name, in this order of strength. A key is never a flag: other
 * users of a machine can read command lines.
 */
export async function remoteService(call: Call): Promise<RemoteService> {
  const { environment, options, output } = call;
  const profile = await profileOf(call);
  const url = urlIn(call, profile);
  // The key of a profile is for the service of the profile.
  const ofProfile = profile !== null && serviceUrl(profile.url) === url ? profile.key : undefined;
  const named = options.text('profile') === undefined ? undefined : ofProfile;
  const apiKey = named ?? nonEmpty(environment['TRUNKLINE_API_KEY']) ?? ofProfile;
  if (apiKey === undefined)
    throw new CommandError(
      `There is no API key for ${url}: set TRUNKLINE_API_KEY, or keep one with "trunkline profiles add".`,
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
  return {
    client: createClient({ baseUrl: `${url}/api/v1`, apiKey }),
    url,
    fetch: (path, { method = 'GET', body } = {}) =>
      fetch(`${url}${path}`, {
        method,
        redirect: 'error', // the key is for this service
        signal: call.signal,
        headers: {
          Authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
      }).catch((cause: unknown) => {
        call.signal.throwIfAborted();
        throw unreachable(url, cause);
      }),
  };
}

/** Where the service is, for those who need no key. */
export async function serviceUrlOf(call: Call): Promise<string> {
  return urlIn(call, await profileOf(call));
}

function profileOf({ environment, options }: Call): Promise<Profile | null> {
  return readProfile(environment, options.text('profile') ?? nonEmpty(environment['TRUNKLINE_PROFILE']));
}

function urlIn({ environment, options }: Call, profile: Profile | null): string {
  return serviceUrl(options.text('url') ?? nonEmpty(environment['TRUNKLINE_URL']) ?? profile?.url ?? LOCAL);
}

/** The success of a call, or an error with the exit code that its failure has. */
export async function accepted<Reply>(
  service: RemoteService,
  result: Promise<CallResult<Reply>>,
): Promise<Reply> {
  const reply = await result;
  if (reply.ok) return reply;
  throw failed(service.url, reply.error);
}

/** A failed response of a request beside the API. */
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
  const reason = cause instanceof Error && cause.cause instanceof Error ? ` (${cause.cause.message})` : '';
  return new CommandError(
    `There is no service at ${url}${reason}: start one with "trunkline serve", or name another one with --url or TRUNKLINE_URL.`,
    { exitCode: EXIT.unreachable, code: 'NETWORK_ERROR' },
  );
}

function failed(url: string, error: ApiError): CommandError {
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
  const exitCode =
    code === 'UNEXPECTED_RESPONSE'
      ? EXIT.unreachable
      : status === 401 || status === 403
        ? EXIT.noAccess
        : EXIT.refused;
  return new CommandError(message, {
    exitCode,
    code,
    requestId,
  });
}

function isInTheClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
