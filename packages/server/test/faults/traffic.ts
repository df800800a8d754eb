import type { Network } from './surroundings.ts';
import type { SimulatedClock } from './simulated-clock.ts';
import type { SimulatedService } from './simulated-service.ts';

const SECOND = 1_000;
const BASE = 'http://127.0.0.1/api/v1';
/** How long a client waits before it repeats a refused request. */
const AGAIN_MS = 5 * SECOND;
/** How long a client waits for a response. */
const PATIENCE_MS = 60 * SECOND;

interface MadeRequest {
  readonly name: string;
  readonly startedAt: number;
  endedAt: number | null;
  /** The status of a request; for a call in process, 0 if it rejected, else 200. */
  status: number;
  /** Why the response is invalid; null if it is valid. */
  flaw: string | null;
}

/** An outbound message that the service has accepted. */
interface Accepted {
  readonly id: string;
  readonly instance: string;
  readonly text: string;
  readonly at: number;
}

/** A message that a person has sent to an instance. */
interface Written {
  readonly instance: string;
  readonly text: string;
  readonly hasFile: boolean;
  readonly at: number;
}

/** The actions of clients and phones, which are repeated until they succeed, or until `endAt`. */
export interface Traffic {
  readonly requests: readonly MadeRequest[];
  readonly accepted: readonly Accepted[];
  readonly written: readonly Written[];
  /** The actions of clients and phones that still failed at the end. */
  readonly unfinished: () => readonly string[];
  /** Sets the API key of all requests. */
  identify(token: string): void;
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Calls an operation in process. */
  call(name: string, operation: () => Promise<unknown>): Promise<unknown>;
  /** Starts work that is repeated until it succeeds. */
  begin(name: string, work: () => Promise<boolean>): void;
  send(instance: string, to: string, text: string, options?: { replyTo?: string; file?: boolean }): void;
  receive(instance: string, from: string, text: string, file?: { delayMs?: number }): void;
  pause(ms: number): Promise<void>;
}

export interface Reply {
  readonly status: number;
  // Responses may have any shape. Tests read only these fields.
  readonly json: { readonly data?: unknown; readonly error?: { readonly code?: string } } | null;
}

export function trafficOf(
  clock: SimulatedClock,
  network: Network,
  /** `service` returns null while no process listens. */
  { service, endAt }: { readonly service: () => SimulatedService | null; readonly endAt: () => number },
): Traffic {
  let token = '';
  const requests: MadeRequest[] = [];
  const accepted: Accepted[] = [];
  const written: Written[] = [];
  const running = new Set<string>();

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.setTimer(ms, resolve);
    });

  /** Waits for a response as long as a client would. */
  const patiently = async <Value>(answer: Value | Promise<Value>): Promise<Value> => {
    const answered = Promise.resolve(answer);
    answered.catch(() => undefined);
    return Promise.race([
      answered,
      pause(PATIENCE_MS).then(() => Promise.reject(new Error('There was no answer.'))),
    ]);
  };

  const made = (name: string): MadeRequest => {
    const request: MadeRequest = { name, startedAt: clock.now(), endedAt: null, status: 0, flaw: null };
    requests.push(request);
    return request;
  };

  const request: Traffic['request'] = async (method, path, body, headers = {}) => {
    const listening = service();
    if (!listening) throw new Error('The connection is refused.');
    const mine = made(`${method} ${path.replaceAll(/[a-z]+_[0-9a-z]{26}/g, '{id}')}`);
    const isForm = body instanceof FormData;
    const response = await patiently(
      listening.fetch(
        new Request(BASE + path, {
          method,
          headers: {
            Authorization: `Bearer ${token}`,
            ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        }),
      ),
    );
    const text = path.endsWith('/stream') ? await cancelled(response) : await response.text();
    mine.endedAt = clock.now();
    mine.status = response.status;
    const json = text.startsWith('{') ? (JSON.parse(text) as Reply['json']) : null; // it begins with {, so it is an object
    mine.flaw = flawOf(response, json);
    return { status: response.status, json };
  };

  const call: Traffic['call'] = async (name, operation) => {
    const mine = made(name);
    try {
      const result = await operation();
      mine.status = 200;
      return result;
    } catch {
      return null;
    } finally {
      mine.endedAt = clock.now();
    }
  };

  const begin: Traffic['begin'] = (name, work) => {
    running.add(name);
    const goOn = async (): Promise<void> => {
      while (clock.now() < endAt()) {
        if (await work().catch(() => false)) {
          running.delete(name);
          return;
        }
        await pause(AGAIN_MS);
      }
    };
    void goOn();
  };

  return {
    requests,
    accepted,
    written,
    unfinished: () => [...running],
    identify(given) {
      token = given;
    },
    request,
    call,
    begin,
    pause,
    send(instance, to, text, { replyTo, file = false } = {}) {
      const fields = { instance, to, type: 'text', text, ...(replyTo && { reply_to: replyTo }) };
      begin(`send ${text}`, async () => {
        const body = file ? form({ instance, to, type: 'document', caption: text }) : fields;
        const { status, json } = await request('POST', '/messages', body, {
          'Idempotency-Key': text.replaceAll(' ', '-'),
        });
        if (status !== 202 && status !== 200) return false;
        accepted.push({ id: idOf(json), instance, text, at: clock.now() });
        return true;
      });
    },
    receive(instance, from, text, file) {
      written.push({ instance, text, hasFile: file !== undefined, at: clock.now() });
      begin(`receive ${text}`, async () => {
        await network.receive(instance, {
          from,
          text,
          ...(file && { file: { type: 'document', content: CONTENT, filename: 'a.txt', ...file } }),
        });
        return true;
      });
    },
  };
}

const CONTENT = new TextEncoder().encode('the content of a file');

function form(fields: Readonly<Record<string, string>>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([CONTENT], { type: 'text/plain' }), 'a.txt');
  return body;
}

/** Returns the flaw of a response: an error of a wrong shape, a 500, or a 503 without Retry-After; null if valid. */
function flawOf(response: Response, json: Reply['json']): string | null {
  if (response.status < 400) return null;
  if (typeof json?.error?.code !== 'string') return 'not in the shape of an error';
  if (response.status === 500) return 'INTERNAL_ERROR';
  if (response.status === 503 && response.headers.get('Retry-After') === null) return 'no Retry-After';
  return null;
}

async function cancelled(response: Response): Promise<string> {
  if (response.status >= 400) return response.text();
  await response.body?.cancel();
  return '';
}

/** The id of the object in a response. */
export function idOf(json: Reply['json']): string {
  const data = json?.data;
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined;
  if (typeof id !== 'string') throw new Error(`A response without an id: ${JSON.stringify(json)}`);
  return id;
}
