import { CommandError, EXIT, usageError } from '../errors/command-error.ts';
import { limitedBody } from './limited-body.ts';
import type { BodyLimits } from './limited-body.ts';

/**
 * Makes a request to the service, with limits of time and size unless the response is an event stream. Rejects with a
 * CommandError if a limit is reached or the service redirects; reading the body can fail with a CommandError, too.
 */
export type ServiceFetch = (url: string, init: RequestInit) => Promise<Response>;

/** The time limit for a request and its whole response, in seconds. Files and streams may take longer. */
const TIMEOUT = { byDefault: 60, max: 3_600 };
/** The lowest accepted rate for sending or receiving a file. */
const FILE_BYTES_PER_SECOND = 4_096;
/** WhatsApp's limit for a file, in bytes. */
const FILE_MAX = 2_147_483_648;
/** In bytes: more than a page of the longest messages. */
const JSON_MAX = 41_943_040;

/** How long a request may take (`TRUNKLINE_TIMEOUT`), in milliseconds. */
export function timeoutIn(environment: Readonly<Record<string, string | undefined>>): number {
  const text = environment['TRUNKLINE_TIMEOUT']?.trim() ?? '';
  if (text === '') return TIMEOUT.byDefault * 1_000;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= TIMEOUT.max) return seconds * 1_000;
  throw usageError(`TRUNKLINE_TIMEOUT must be a whole number of seconds from 1 to ${TIMEOUT.max}.`);
}

export function createServiceFetch(service: string, timeoutMs: number): ServiceFetch {
  return async (url, init) => {
    const ms = timeoutMs + (bytesOfFiles(init.body) / FILE_BYTES_PER_SECOND) * 1_000;
    const limit = new AbortController();
    // The timer keeps running while the body is read, and must not keep the process alive.
    const timer = setTimeout(() => limit.abort(tooSlow(service, ms)), ms);
    timer.unref();
    const signal = init.signal ? AbortSignal.any([limit.signal, init.signal]) : limit.signal;
    const response = await fetch(url, { ...init, redirect: 'manual', signal });
    const { status, statusText, headers, body } = response;
    const target = headers.get('Location');
    if (status >= 300 && status < 400 && target !== null) {
      await body?.cancel();
      throw redirected(service, target);
    }
    if (!body) return response;
    const kind = kindOf(response, init);
    if (kind !== 'json') clearTimeout(timer);
    // An invalid status (RFC 9110, 15) is treated as the fault of a gateway (502).
    const known = status >= 200 && status <= 599 ? status : 502;
    return new Response(limitedBody(body, limitsOf(service, kind, timeoutMs)), {
      status: known,
      statusText,
      headers,
    });
  };
}

type Kind = 'json' | 'file' | 'events';

/** A response of a kind that was not asked for is read as JSON. */
function kindOf({ ok, headers }: Response, { headers: asked }: RequestInit): Kind {
  const accepted = new Headers(asked).get('Accept');
  const isEvents = headers.get('Content-Type')?.startsWith('text/event-stream') === true;
  if (ok && accepted === 'text/event-stream' && isEvents) return 'events';
  return ok && accepted === '*/*' && headers.has('Content-Disposition') ? 'file' : 'json';
}

function limitsOf(service: string, kind: Kind, timeoutMs: number): BodyLimits {
  const everyMs = timeoutMs;
  return {
    maxBytes: { json: JSON_MAX, file: FILE_MAX, events: Number.POSITIVE_INFINITY }[kind],
    least: kind === 'file' ? { bytes: (everyMs / 1_000) * FILE_BYTES_PER_SECOND, everyMs } : null,
    failure: (why) =>
      why === 'too slow'
        ? failure(
            `The file comes from ${service} at less than ${FILE_BYTES_PER_SECOND / 1_024} KiB per second: try again, or set TRUNKLINE_TIMEOUT to more seconds than ${timeoutMs / 1_000}.`,
            'NETWORK_ERROR',
          )
        : failure(
            `The response of ${service} is longer than ${kind === 'file' ? '2 GiB' : '40 MiB'}: check --url.`,
            'UNEXPECTED_RESPONSE',
          ),
  };
}

function bytesOfFiles(body: RequestInit['body']): number {
  if (!(body instanceof FormData)) return 0;
  return [...body.values()].reduce((sum, one) => sum + (typeof one === 'string' ? 0 : one.size), 0);
}

function tooSlow(service: string, ms: number): CommandError {
  return failure(
    `${service} has not responded in full within ${Math.ceil(ms / 1_000)} s: try again, or set TRUNKLINE_TIMEOUT to more seconds. What was asked for may have been done all the same.`,
    'NETWORK_ERROR',
  );
}

/** Redirects are errors, because neither the key nor a message may go to an address other than the named one. */
function redirected(service: string, location: string): CommandError {
  const target = URL.canParse(location, service) ? new URL(location, service) : null;
  const where = target === null ? 'nowhere' : `${target.origin}${target.pathname}`.slice(0, 200);
  return failure(
    `${service} redirects to ${where}, which is not followed. If the service is there, name it with --url or TRUNKLINE_URL.`,
    'UNEXPECTED_RESPONSE',
  );
}

function failure(message: string, code: 'NETWORK_ERROR' | 'UNEXPECTED_RESPONSE'): CommandError {
  return new CommandError(message, { exitCode: EXIT.unreachable, code });
}
