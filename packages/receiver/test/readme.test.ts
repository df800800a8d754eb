import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isNewer } from '@trunkline/receiver';
import { signRequest } from '@trunkline/receiver/testing';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runAttack } from '../src/attack/run-attack.ts';
import { BUN, DENO, bunArgs, denoArgs, nodeArgs } from './support/runtimes.ts';
import { importProgram, readmeFunction, readmeProgram } from './support/readme.ts';
import { spawnProgram, type Running } from './support/spawn-program.ts';
import { startWorker } from './support/start-worker.ts';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ=';
const env = { WEBHOOK_SECRET: secret };
const node = (program: string): Promise<Running> =>
  spawnProgram({ command: process.execPath, args: nodeArgs(program), env });
// Calls the program's exported `POST` for each request, as Next.js does for a route.
const served = (program: string): string =>
  `${program}\nimport { serve } from '@hono/node-server';\n` +
  `serve({ fetch: (request) => POST(request), port: 0 }, ({ port }) => console.log('listening on', port));`;

const programs: readonly {
  readonly heading: string;
  readonly missing?: string | false;
  readonly start: (program: string) => Promise<Running>;
}[] = [
  { heading: 'Next.js', start: (program) => node(served(program)) },
  { heading: 'Hono', start: node },
  {
    heading: 'Bun',
    missing: BUN === undefined && 'the npm package "bun" has no program for this machine',
    start: (program) => spawnProgram({ command: BUN ?? '', args: bunArgs(program), env }),
  },
  {
    heading: 'Deno',
    missing: DENO === undefined && 'the npm package "deno" has no program for this machine',
    start: (program) => spawnProgram({ command: DENO ?? '', args: denoArgs(program), env }),
  },
  { heading: 'Cloudflare Workers', start: (program) => startWorker(program, env) },
  { heading: 'Express', start: node },
  { heading: 'Fastify', start: node },
  { heading: 'node:http', start: node },
  { heading: '`verify` alone', start: (program) => node(served(program)) },
];

/** One with Node's requests and one with Fetch's: the server in front hardly matters. */
const IN_SHORT = ['node:http', 'Hono'];

describe.each(isLongForm ? programs : programs.filter(({ heading }) => IN_SHORT.includes(heading)))(
  'the README on $heading',
  ({ heading, missing, start }) => {
    let server: Running | undefined;
    beforeAll(async () => {
      if (typeof missing !== 'string') server = await start(readmeProgram(heading));
    });
    afterAll(async () => server?.stop());

    it('accepts a signed event, and refuses a changed one', async ({ skip }) => {
      if (server === undefined) return skip(missing || 'not started');
      const { method, headers, body } = await messageFrom('15550100');
      expect((await fetch(server.url, { method, headers, body })).status).toBe(204);

      const changed = Buffer.from(body).toString().replace('15550100', '15550199');
      const refused = await fetch(server.url, { method, headers, body: changed });
      expect(refused.status).toBe(401);
      expect(await refused.text()).toBe('signature_mismatch');

      await eventually(() => expect(server?.output()).toContain('message from 15550100'));
      expect(server.output()).not.toContain('15550199');
    });

    it('withstands the attack', async ({ skip }) => {
      if (server === undefined) return skip(missing || 'not started');
      const wrong: string[] = [];
      await runAttack({
        url: new URL(server.url),
        secret,
        // The machine's speed must not affect the result.
        timeoutMs: HANG_MS,
        limitMs: 4 * HANG_MS,
        onVerdict: (name, { right, what }) => right || wrong.push(`${name}: ${what}`),
      });
      const waited =
        'a timestamp an hour old, and a body that is never sent: refused without it: no response in time';
      const flooded = 'a body without end: read all of 32 MiB';
      // The caller of `verify` reads the body, and decides where to stop.
      if (heading === '`verify` alone') return expect(wrong).toEqual([flooded, waited]);
      // After its response, Deno continues to read the body until the connection closes.
      expect(wrong.filter((what) => heading !== 'Deno' || what !== flooded)).toEqual([]);
    });
  },
);

describe('the README on the library of Standard Webhooks', () => {
  it.runIf(isLongForm)('accepts a signed event, and refuses a changed one', async () => {
    const server = await node(served(readmeProgram('Standard Webhooks')));
    onTestFinished(() => server.stop());
    const { method, headers, body } = await messageFrom('15550100');
    expect((await fetch(server.url, { method, headers, body })).status).toBe(204);
    await eventually(() => expect(server.output()).toContain('message.received'));
    const changed = Buffer.from(body).toString().replace('15550100', '15550199');
    expect((await fetch(server.url, { method, headers, body: changed })).status).toBe(401);
  });
});

describe('the README', () => {
  it.runIf(isLongForm)('shows a test that passes', async () => {
    const args = nodeArgs(readmeProgram('Test your receiver'));
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: new URL('..', import.meta.url),
    });
    expect(stdout).toBe('message.received\n204\n401\n');
  });

  it('shows how to keep the newest state of a message', async () => {
    const program = readmeFunction('show').replace(/^import .*$/m, '');
    Object.assign(globalThis, { isNewer });
    const { show } = await importProgram(program);
    const at = (status: string, second: number): unknown => ({
      created_at: `2025-11-20T21:00:0${second}.000000Z`,
      data: { message: { id: 'msg_1', status } },
    });
    const states = [at('sent', 1), at('read', 3), at('delivered', 2)].map(show as (event: unknown) => string);
    expect(states).toEqual(['sent', 'read', 'read']);
  });
});

// Only the fields that the handler reads; a real event has more.
function messageFrom(from: string): ReturnType<typeof signRequest> {
  return signRequest({ secret, body: JSON.stringify(eventFrom(from)) });
}

function eventFrom(from: string): unknown {
  return {
    id: 'evt_1',
    type: 'message.received',
    created_at: '2025-11-20T21:00:00.000000Z',
    workspace_id: 'ten_1',
    data: { message: { from } },
  };
}
