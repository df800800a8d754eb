import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { signRequest, vectors, type RequestVector } from '@trunkline/receiver/testing';
import { HANG_MS } from '@trunkline/test-support';
import { freePort } from '@trunkline/test-support/free-port';
import { startProgram } from '@trunkline/test-support/start-program';
import type { Program } from '@trunkline/test-support/start-program';
import { runAttack } from '../src/attack/run-attack.ts';
import { LANGUAGES, pageFiles, type Command, type LanguageServer } from './support/languages.ts';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ=';

/** Whether to require every language and attack every server. */
const ALL = process.env['RECEIVERS'] === '1';
/** The folder `libraries` in a clone of the Standard Webhooks repository. */
const LIBRARIES = process.env['STANDARD_WEBHOOKS'];

const requests = [...vectors.requests, ...vectors.standard_requests];

describe.each(LANGUAGES)('the page on receiving in $name', (language) => {
  const { page, needs, build = [], check, isSlow = false, leavesJson = false, servers, library } = language;
  const missing =
    (isSlow && !ALL && 'takes too long: RECEIVERS=1 runs it') ||
    (!ALL && !needs.every(isThere) && `this machine has no ${needs.map(([program]) => program).join(', ')}`);
  let folder = '';
  beforeAll(async () => {
    if (missing !== false) return;
    folder = await mkdtemp(join(tmpdir(), `trunkline-${page}-`));
    await cp(fileURLToPath(new URL(`languages/${page}`, import.meta.url)), folder, { recursive: true });
    for (const [name, code] of pageFiles(page)) {
      const path = join(folder, /^library\./i.test(name) ? 'library' : '.', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, code);
    }
    await runAll(build, folder);
  });
  afterAll(async () => {
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  it('has a program that passes every vector', async ({ skip }) => {
    if (missing !== false) return skip(missing);
    const results = await linesOf(check, folder, requests.map(lineOf));
    const wrong = requests.flatMap(({ name, expect: expected }, index) => {
      const result = results[index];
      const right = expected.ok ? expected.event_id : expected.reason;
      const isLeft = leavesJson && (expected.ok || /^invalid_(json|event)$/.test(expected.reason));
      return result === right || (isLeft && result === 'verified')
        ? []
        : [`${name}: ${result}, not ${right}`];
    });
    expect(wrong).toEqual([]);
    expect(results).toHaveLength(requests.length);
  });

  it.for(servers)('has a server on $name that withstands the attack', async (server, { skip }) => {
    if (missing !== false) return skip(missing);
    if (!ALL && server.isQuick !== true) return skip('takes too long: RECEIVERS=1 runs it');
    if (!ALL && server.needs !== undefined && !isThere(server.needs))
      return skip(`this machine has no ${server.name}`);
    const { url, program } = await startServer(server, folder);
    const wrong: string[] = [];
    const weaknesses = server.weaknesses ?? [];
    const { right } = await runAttack({
      url,
      secret,
      // The machine's speed must not affect the result.
      timeoutMs: HANG_MS,
      limitMs: 4 * HANG_MS,
      onVerdict: (name, verdict) => verdict.right || wrong.push(name),
    });
    expect(wrong.toSorted()).toEqual(weaknesses.toSorted());
    expect(right).toBe(71 - weaknesses.length);
    expect(program.output()).toContain('webhook.test');
  });

  it.for(servers.filter(({ failing }) => failing))(
    'has a server on $name that asks for the event again if its handler fails',
    async (server, { skip }) => {
      if (missing !== false) return skip(missing);
      const { file, line, by } = server.failing ?? { file: '', line: '', by: '' };
      const copy = await mkdtemp(join(tmpdir(), `trunkline-${page}-`));
      onTestFinished(() => rm(copy, { recursive: true, force: true }));
      await cp(folder, copy, { recursive: true });
      const program = await readFile(join(copy, file), 'utf8');
      expect(program).toContain(line);
      await writeFile(join(copy, file), program.replace(line, by));
      const { url } = await startServer(server, copy);
      expect((await fetch(url, await signRequest({ secret }))).status).toBe(500);
    },
  );

  it('has a program with the library of Standard Webhooks', async ({ skip }) => {
    if (missing !== false) return skip(missing);
    if (library === undefined) return skip('its crates cannot be had here');
    if (LIBRARIES === undefined)
      return skip('the library is not here: STANDARD_WEBHOOKS=… is the folder of its sources');
    const inside = join(folder, 'library');
    await runAll(library.build ?? [], inside);
    const cases = await libraryCases();
    const results = await linesOf(
      library.check,
      inside,
      cases.map(({ line }) => line),
    );
    expect(results).toEqual(cases.map(({ isGenuine }) => (isGenuine ? 'accepted' : 'refused')));
  });
});

async function startServer(
  { build = [], run }: LanguageServer,
  cwd: string,
): Promise<{ readonly url: URL; readonly program: Program }> {
  await runAll(build, cwd);
  const port = await freePort();
  const [command, ...args] = run(port);
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: `${port}` };
  const program = startProgram(command, { args, cwd, env });
  onTestFinished(() => program.kill());
  await program.printed(/listening on|running on|started/i);
  return { url: new URL(`http://127.0.0.1:${port}/webhooks`), program };
}

function isThere([command, ...args]: Command): boolean {
  return spawnSync(command, args).status === 0;
}

async function runAll(commands: readonly Command[], cwd: string): Promise<void> {
  for (const [command, ...args] of commands) await promisify(execFile)(command, args, { cwd });
}

async function linesOf(
  [command, ...args]: Command,
  cwd: string,
  lines: readonly string[],
): Promise<string[]> {
  const env = { ...process.env, WEBHOOK_SECRET: secret };
  const running = promisify(execFile)(command, args, { cwd, env });
  running.child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  return (await running).stdout.trim().split('\n');
}

/**
 * A request as one line of tab-separated fields, for programs without a JSON library: time, tolerance, body, secrets and
 * headers. The last three are in base64.
 */
function lineOf({
  received_at,
  tolerance = 300,
  body,
  secret: secrets,
  headers,
}: Omit<RequestVector, 'name' | 'expect'>): string {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${base64(name)}:${base64(value)}`),
  );
  return [received_at, tolerance, body, [secrets].flat().map(base64).join(','), pairs.join(',')].join('\t');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Signed now, because the libraries use the machine's clock, and the vectors have fixed times. */
async function libraryCases(): Promise<readonly { readonly isGenuine: boolean; readonly line: string }[]> {
  const now = Math.floor(Date.now() / 1000);
  const standard = async (options: { readonly timestamp?: number; readonly secret?: string } = {}) => {
    const { headers, body } = await signRequest({ secret, ...options });
    const ours = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
    return { headers: Object.fromEntries(ours), body: Buffer.from(body).toString() };
  };
  const genuine = await standard();
  const signature = genuine.headers['webhook-signature'] ?? '';
  const other = await standard({ secret: 'whsec_VGhlU2Vjb25kU2VjcmV0SXNPbmx5SGVyZUZvclRlc3Q=' });
  const withHeader = (name: string, value: string): typeof genuine => ({
    ...genuine,
    headers: { ...genuine.headers, [`webhook-${name}`]: value },
  });
  const without = (name: string): typeof genuine => ({
    ...genuine,
    headers: Object.fromEntries(Object.entries(genuine.headers).filter(([key]) => key !== `webhook-${name}`)),
  });
  const right = [genuine, withHeader('signature', `${other.headers['webhook-signature']} ${signature}`)];
  const wrong = [
    other,
    { ...genuine, body: genuine.body.replace('evt_', 'evt-') },
    withHeader('id', 'evt_another'),
    withHeader('timestamp', `${now + 10}`),
    withHeader('timestamp', 'x'),
    await standard({ timestamp: now - 310 }),
    await standard({ timestamp: now + 600 }),
    ...['', 'v1', 'v1,', 'v1,%%%', 'nonsense', signature.replace('v1', 'v2'), signature.slice(0, -2)].map(
      (value) => withHeader('signature', value),
    ),
    ...['id', 'timestamp', 'signature'].map(without),
  ];
  return [
    ...right.map((one) => ({ one, isGenuine: true })),
    ...wrong.map((one) => ({ one, isGenuine: false })),
  ].map(({ one: { headers, body }, isGenuine }) => ({
    isGenuine,
    line: lineOf({ received_at: now, body: base64(body), secret, headers }),
  }));
}
