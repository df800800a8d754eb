import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReceiver } from '@trunkline/receiver';
import { nodeHandler } from '@trunkline/receiver/node';
import { HANG_MS } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { readCommand } from '../src/attack/read-command.ts';
import { runAttack, type AttackResult } from '../src/attack/run-attack.ts';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
const cli = fileURLToPath(new URL('../src/attack/cli.ts', import.meta.url));

describe('trunkline-receiver attack', () => {
  let server: Server | undefined;
  afterEach(() => {
    vi.useRealTimers();
    server?.closeAllConnections();
    server?.close();
  });

  async function listen(listener: RequestListener): Promise<URL> {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // the server listens on a port
    return new URL(`http://127.0.0.1:${port}/hook?a=b`);
  }

  async function attack(listener: RequestListener, ...more: readonly string[]): Promise<Finished> {
    const url = await listen(listener);
    return run('attack', url.href, '--secret', secret, ...more);
  }

  /** Runs the attack in this process, on a clock that moves only when the receiver lets time pass. */
  async function attackHere(
    receiver: (letTimePass: (ms?: number) => void) => RequestListener,
  ): Promise<Found> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const timeoutMs = 200;
    const wrong: string[] = [];
    const result = await runAttack({
      url: await listen(receiver((ms = timeoutMs) => vi.advanceTimersByTime(ms))),
      secret,
      timeoutMs,
      limitMs: 12 * timeoutMs, // the default ratio
      onVerdict: (name, { right, what }) => right || wrong.push(`${name}: ${what}`),
    });
    return { ...result, wrong };
  }

  it('finds nothing wrong with the receiver of this package, and triggers no handler of real events', async () => {
    const types = new Set<string>();
    const receiver = createReceiver({ secret, on: { '*': ({ type }) => types.add(type) } });
    const inTime = ['--timeout', `${HANG_MS / 1000}`, '--limit', `${(4 * HANG_MS) / 1000}`];
    const { code, lines } = await attack(nodeHandler(receiver), ...inTime);
    expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([
      '',
      expect.stringMatching(/^\d\d right, 0 wrong$/),
      '',
    ]);
    expect(lines.length).toBeGreaterThan(55);
    expect(code).toBe(0);
    expect([...types]).toEqual(['webhook.test', 'attack.unknown']);
  });

  it.runIf(isLongForm)('finds out a receiver that checks nothing', async () => {
    const { wrong } = await attackHere((letTimePass) => (request, response) => {
      if (isWithoutBody(request)) return letTimePass();
      request.resume().on('end', () => response.writeHead(200).end());
    });
    expect(wrong.length).toBeGreaterThan(40);
    expect(wrong).toContain('a signature by another secret: accepted with 200, must be refused');
    expect(wrong).toContain('a body without end: read all of 32 MiB');
  });

  it('finds the usual mistakes, and names each', async () => {
    // Mistakes: parseInt() for the timestamp, one-sided staleness, truncated hex, text instead of bytes, no limit.
    const { wrong } = await attackHere((letTimePass) => (request, response) => {
      if (isWithoutBody(request)) return letTimePass();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const timestamp = String(request.headers['x-service-timestamp']);
        const signature = String(request.headers['x-service-signature']).replace('v1=', '');
        const expected = createHmac('sha256', secret).update(`${timestamp}.${text}`).digest();
        const given = Buffer.from(signature.slice(0, 64), 'hex');
        const stale = Date.now() / 1000 - Number.parseInt(timestamp, 10) > 300;
        response.writeHead(!stale && given.equals(expected) ? 204 : 401).end();
      });
    });
    const names = wrong.map((line) => /^(.*?): /.exec(line)?.[1]);
    expect(names).toEqual(
      expect.arrayContaining([
        'a signature of 65 characters',
        'a signature with junk after it',
        'a signature without v1=',
        'a timestamp a year ahead',
        'a timestamp with letters after it',
        'a timestamp with an exponent',
        'the byte 0xFF where U+FFFD was signed',
        'rightly signed, and not JSON',
        'a body without end',
        'a timestamp an hour old, and a body that is never sent',
      ]),
    );
    expect(names).not.toContain('a signature by another secret');
    expect(names).not.toContain('a stale timestamp, 6 minutes old');
  });

  it.runIf(isLongForm)(
    'finds out a receiver that is too strict: without deduplication, or that refuses repeats',
    async () => {
      const seen = new Set<string>();
      const receiver = createReceiver({
        secret,
        on: {
          '*': ({ id }) => {
            if (seen.has(id)) throw new Error('again');
            seen.add(id);
          },
        },
        // A store that forgets immediately, so that the handler sees each repeat.
        store: { claim: async () => 'claimed', markDone: async () => {}, release: async () => {} },
        onError: () => {},
      });
      const { wrong } = await attackHere(() => nodeHandler(receiver));
      expect(wrong).toHaveLength(2);
      expect(wrong[0]).toMatch(/comes again.*refused with 500, must be accepted/);
    },
  );

  it.runIf(isLongForm)('ends in time with a receiver that never responds', async () => {
    const { code, wrong, lines } = await attack(() => {}, '--timeout', '0.2');
    expect(code).toBe(1);
    expect(wrong).toEqual(['WRONG  a request as the service sends it: no response, must be accepted']);
    expect(lines).toContain('Is this the URL of the receiver, and the secret the one that it has?');
  });

  it('ends in time with a receiver that accepts only genuine requests', async () => {
    const reply = nodeHandler(createReceiver({ secret }));
    const genuine = /^v1=[0-9a-f]{64}$/;
    const { gaveUp, right, wrong } = await attackHere((letTimePass) => (request, response) => {
      if (genuine.test(String(request.headers['x-service-signature']))) reply(request, response);
      else letTimePass();
    });
    expect({ gaveUp, right: right > 0 }).toEqual({ gaveUp: false, right: true });
    expect(wrong).toContainEqual(expect.stringMatching(/: no response in time$/));
    expect(wrong.at(-1)).toMatch(/: not run: time is up$/);
  });

  it('finds nothing wrong with a receiver that is as slow as the machine, and slower for more work', async () => {
    const reply = nodeHandler(createReceiver({ secret }));
    let [open, others] = [0, 0];
    const { right, wrong } = await attackHere((letTimePass) => (request, response) => {
      if (request.headers['transfer-encoding'] === 'chunked') {
        open += 1;
        request.once('close', () => (open -= 1));
      } else if (open > 1) {
        others += 1;
        letTimePass(1_000); // five times the limit that was configured
      } else letTimePass(20);
      reply(request, response);
    });
    expect(wrong).toEqual([]);
    expect(others).toBe(1);
    expect(right).toBeGreaterThan(55);
  });

  it('finds nothing wrong with a receiver on a machine that becomes busy, once it has measured again', async () => {
    const reply = nodeHandler(createReceiver({ secret }));
    let requests = 0;
    const { wrong } = await attackHere((letTimePass) => (request, response) => {
      requests += 1;
      const isPart = request.headers['transfer-encoding'] === 'chunked'; // one of several in parallel
      if (requests > 30 && !isPart) letTimePass(250); // the limit is 200
      reply(request, response);
    });
    expect(wrong).toEqual([]);
  });

  it.runIf(isLongForm)(
    'still finds out a receiver that hangs on one request, on a slow machine too',
    async () => {
      const reply = nodeHandler(createReceiver({ secret }));
      const { wrong } = await attackHere((letTimePass) => (request, response) => {
        letTimePass(10); // 100 times 10 is a limit of 1,000
        if (request.headers['x-service-signature'] === '') return letTimePass(1_000);
        reply(request, response);
      });
      expect(wrong).toEqual(['an empty signature: no response in time']);
    },
  );

  it('exits with 2 and its usage if it cannot begin', async () => {
    const { code, errors } = await run('attack', 'http://127.0.0.1/', '--sceret', secret);
    expect(code).toBe(2);
    expect(errors).toContain("Unknown option '--sceret'");
    expect(errors).toContain('Usage: trunkline-receiver attack <url>');
  });

  it.runIf(isLongForm)('explains itself', async () => {
    const { code, lines } = await run('--help');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^Usage/);
  });
});

describe('the arguments of the attack', () => {
  it.each([
    ['no command', []],
    ['an unknown command', ['defend', 'http://127.0.0.1/', '--secret', secret]],
    ['no URL', ['attack', '--secret', secret]],
    ['another kind of URL', ['attack', 'file:///etc/passwd', '--secret', secret]],
    ['two URLs', ['attack', 'http://127.0.0.1/', 'http://127.0.0.2/', '--secret', secret]],
    ['no secret', ['attack', 'http://127.0.0.1/']],
    [
      'a timeout that is not a number',
      ['attack', 'http://127.0.0.1/', '--secret', secret, '--timeout', 'soon'],
    ],
  ])('are refused: %s', (_name, args) => {
    expect(() => readCommand(args)).toThrow();
    expect(() => readCommand(args)).not.toThrow(secret);
  });

  it('take the secret from the environment, unless it is given', () => {
    const args = ['attack', 'https://receiver.test/hook'];
    const url = new URL('https://receiver.test/hook');
    expect(readCommand(args, secret)).toEqual({ url, secret, timeoutMs: 5_000, limitMs: 60_000 });
    expect(readCommand([...args, '--secret', 'whsec_b'], secret)).toMatchObject({ url, secret: 'whsec_b' });
  });
});

/** The body of the request signed an hour ago never follows. */
function isWithoutBody({ headers }: IncomingMessage): boolean {
  const ageS = Date.now() / 1000 - Number(headers['x-service-timestamp']);
  return ageS > 3000 && ageS < 7200;
}

interface Found extends Omit<AttackResult, 'wrong'> {
  readonly wrong: readonly string[];
}

interface Finished {
  readonly code: number;
  readonly lines: readonly string[];
  readonly wrong: readonly string[];
  readonly errors: string;
}

function run(...args: readonly string[]): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=source', cli, ...args], (error, output, errors) => {
      const lines = output.split('\n');
      const wrong = lines.filter((line) => line.startsWith('WRONG'));
      resolve({ code: error === null ? 0 : Number(error.code), lines, wrong, errors });
    });
  });
}
