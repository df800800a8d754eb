import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import type { CommandSpec } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/commands.ts';
import { apiExamples } from '../support/api-examples.ts';
import { callCommand, exitCodeOf } from '../support/command-call.ts';
import type { CallOutcome, CommandCall } from '../support/command-call.ts';
import { respondJson, startHostileService } from '../support/hostile-service.ts';
import type { HostileService } from '../support/hostile-service.ts';

// Simulates a service whose responses differ from the API's: replaces each value of each response, one at a time.

const EXAMPLES = apiExamples();
const CONCURRENT = 16;

const MESSAGE = 'msg_01kaj2r7d1f4g6h8j0k3m5n7p9';
const INSTANCE = 'ins_01kaj2p9v6e8gr5d0mz7q4xw1c';

/** Arguments that fit the examples. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  '<instance>': INSTANCE,
  '<group>': 'grp_01kaj2q4m3f7h9k2n5p8r1t6w0',
  '<message>': MESSAGE,
  '<webhook>': 'wh_01kaj2s2c4e6g8j1m3p5r7t9v0',
  '<delivery>': 'whd_01kaj2t5b7d9f0h2k4n6q8s1w3',
  '<event>': 'evt_01kaj2t1a3c5e7g9j2m4p6r8t0',
  '<url>': 'https://hooks.example.com/',
  '<name>': 'Shop',
  '<pace>': 'gentle',
};
const OPTIONS: Readonly<Record<string, CommandCall['options']>> = {
  'webhooks create': { events: 'message.sent' },
  'webhooks update': { status: 'enabled' },
  'events list': { message: MESSAGE },
};
/** Commands that are called in two ways, read a file or standard input, or go on until they are interrupted. */
const OTHERS = ['connect', 'send', 'messages download', 'deliveries tail', 'listen', 'instances credentials'];

/** Every command that reads JSON from a service. */
const CALLS: readonly CommandCall[] = [
  { name: 'connect', args: { instance: INSTANCE } },
  { name: 'connect', options: { name: 'Shop' } },
  {
    name: 'send',
    args: { to: '15550100', text: 'Hello' },
    options: { instance: INSTANCE, until: 'read' },
  },
  { name: 'send', args: { to: '15550100', text: 'Hello' }, options: { until: 'queued' } },
  ...COMMANDS.filter(({ name, on }) => on === 'service' && !OTHERS.includes(name)).map(callOf),
];

function callOf({ name, arguments: names = {}, options = {}, asks = false }: CommandSpec): CommandCall {
  const args = Object.keys(names).map((one) => [one.slice(1, -1), ARGUMENTS[one] ?? '']);
  return {
    name,
    args: Object.fromEntries(args),
    options: {
      ...('--limit <count>' in options && { limit: '1' }),
      ...(asks && { yes: true }),
      ...OPTIONS[name],
    },
  };
}

type Step = string | number;
type Change = (value: unknown) => unknown;

interface Case {
  readonly call: CommandCall;
  /** The index of the request whose response is changed. */
  readonly request: number;
  readonly path: readonly Step[];
  readonly change: Change;
  readonly isJson: boolean;
}

interface Service extends HostileService {
  /** The cases by the number in their URL. `seen` counts the requests of a case. */
  readonly cases: Map<string, { seen: number; readonly request: number; readonly edit: Change }>;
}

/** Starts a service that responds with the examples. If the URL has the number of a case, one response is changed. */
async function startService(): Promise<Service> {
  const cases: Service['cases'] = new Map();
  const service = await startHostileService(({ method, path, query }, response) => {
    const [, number = '', route = ''] = /^\/(\w+)\/api\/v1(\/.*)$/.exec(path) ?? [];
    const { status, body } = exampleOf(method, route, query);
    const one = cases.get(number);
    const isIt = one !== undefined && one.seen++ === one.request;
    if (body === null && !isIt) response.writeHead(status).end();
    else respondJson(response, isIt ? one.edit(body) : body, isIt && status === 204 ? 200 : status);
  });
  return { ...service, cases };
}

function exampleOf(
  method: string,
  route: string,
  query: string,
): { readonly status: number; readonly body: unknown } {
  if (route === '/openapi.json') return { status: 200, body: { openapi: '3.1.0', info: { title: 'API' } } };
  const fitting = EXAMPLES.filter((one) => one.method === method && one.pattern.test(route));
  const found = fitting.find(({ status }) => query !== '?for=everyone' || status === 202);
  if (found === undefined) throw new Error(`There is no example of ${method} ${route}.`);
  const { status } = found;
  const body = found.body && changed(found.body, ['meta', 'next_cursor'], () => null);
  // Nothing is left to retry, and the message is read, so that no command waits.
  if (route.endsWith('/retry-failed')) return { status, body: { data: { requeued: 3, remaining: 0 } } };
  if (method === 'GET' && /^\/messages\/[^/]+$/.test(route))
    return { status, body: changed(body, ['data', 'status'], () => 'read') };
  return { status, body };
}

function placesIn(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Array.isArray(value)
    ? value.flatMap((one, index) => placesIn(one, [...path, index]))
    : Object.entries(value).flatMap(([name, one]) => placesIn(one, [...path, name]));
  return [path, ...inside];
}

function changed(value: unknown, [step, ...rest]: readonly Step[], change: Change): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((one, index) => (index === step ? changed(one, rest, change) : one));
  return Object.fromEntries(
    Object.entries(value as object).map(([name, one]) => [
      name,
      name === step ? changed(one, rest, change) : one,
    ]), // `path` is valid
  );
}

async function bodiesOf(service: Service, call: CommandCall): Promise<readonly unknown[]> {
  const before = service.requests.length;
  const outcome = await callCommand(call, { environment: environmentOf(service, 'well') });
  expect(outcome, call.name).toMatchObject({ error: null });
  return service.requests
    .slice(before)
    .map(({ method, path, query }) => exampleOf(method, path.replace(/^\/\w+\/api\/v1/, ''), query).body);
}

function environmentOf({ url }: HostileService, number: string): Readonly<Record<string, string>> {
  return {
    TRUNKLINE_URL: `${url}/${number}`,
    TRUNKLINE_API_KEY: 'a-key-for-the-tests',
    XDG_CONFIG_HOME: '/nowhere',
  };
}

async function runAll(
  service: Service,
  cases: readonly Case[],
  look: (one: Case, outcome: CallOutcome) => void,
): Promise<void> {
  const waiting = [...cases.entries()];
  const next = async (): Promise<void> => {
    for (let taken = waiting.pop(); taken !== undefined; taken = waiting.pop()) {
      const [index, one] = taken;
      const edit: Change = (body) => changed(body, one.path, one.change);
      service.cases.set(String(index), { seen: 0, request: one.request, edit });
      const environment = environmentOf(service, String(index));
      look(one, await callCommand(one.call, { environment, isJson: one.isJson, isTerminal: !one.isJson }));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, next));
}

function nameOf({ call, request, path, change, isJson }: Case): string {
  return `${call.name}${isJson ? ' --json' : ''}, response ${request}: ${path.join('.')} as ${String(change)}`;
}

// oxlint-disable-next-line no-control-regex -- characters that must not reach a terminal
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** The escape sequences of status colours. */
// oxlint-disable-next-line no-control-regex -- this is how they begin
const COLORS = /\u001b\[(?:3[123]|39)m/g;

/**
 * Checks that a command prints no control characters that come from the service. The command's own colours, and the
 * erasure of its progress line, are allowed.
 */
function expectClean({ stdout, stderr }: CallOutcome, name: string): void {
  expect(stdout.replaceAll(COLORS, ''), name).not.toMatch(UNPRINTABLE);
  expect(stderr.replaceAll('\r\u001b[K', ''), name).not.toMatch(UNPRINTABLE);
}

describe("A service whose responses differ from the API's", () => {
  it('gets a refusal of one line from every command, for each value of another type', async () => {
    const service = await startService();
    const changes: readonly Change[] = [
      () => null,
      () => 42,
      () => 'x y',
      () => [],
      () => ({}),
      () => undefined,
      () => ({ length: -1, toString: 1 }),
    ];
    const cases: Case[] = [];
    for (const call of CALLS)
      for (const [request, body] of (await bodiesOf(service, call)).entries())
        for (const path of placesIn(body))
          for (const change of changes)
            cases.push({ call, request, path, change, isJson: cases.length % 2 === 0 });
    expect(cases.length).toBeGreaterThan(5_000);
    const tried = sampleOf(cases);
    const codes = new Map<number | undefined, number>();
    await runAll(service, tried, (one, outcome) => {
      const name = nameOf(one);
      const code = exitCodeOf(outcome);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      // A command succeeds if it does not read the changed value. `send` fails with 2 if no instance seems to be
      // connected.
      expect([0, 1, 2, 4], `${name}: ${String(outcome.error)}`).toContain(code);
      expectClean(outcome, name);
      if (code !== 0)
        expect(outcome.stderr, name).toMatch(one.isJson ? /^\{.*\}\n$/ : /^trunkline: .{1,600}\n$/);
      if (one.isJson) for (const line of linesOf(outcome.stdout)) JSON.parse(line);
    });
    expect(codes.get(4)).toBeGreaterThan(tried.length / 5);
  });

  it('cannot print control characters or lines of its own on a terminal, in any text', async () => {
    const service = await startService();
    const hostile =
      'a\u001b]8;;http://evil.example\u0007b\u001b[2J\u009b31m\u007f\u061c\u202e\u2066\u2028\u0085\r\nforged';
    const cases: Case[] = [];
    for (const call of CALLS)
      for (const [request, body] of (await bodiesOf(service, call)).entries())
        for (const path of placesIn(body))
          for (const isJson of [false, true])
            cases.push({ call, request, path, change: () => hostile, isJson });
    let passedOn = 0;
    await runAll(service, sampleOf(cases), (one, outcome) => {
      const name = nameOf(one);
      expect([0, 1, 2, 4], `${name}: ${String(outcome.error)}`).toContain(exitCodeOf(outcome));
      expectClean(outcome, name);
      for (const line of linesOf(outcome.stdout + outcome.stderr)) expect(line, name).not.toMatch(/^forged/);
      if (outcome.stdout.includes('forged')) passedOn += 1;
      if (one.isJson) for (const line of linesOf(outcome.stdout)) JSON.parse(line);
    });
    // Checks that texts and names were printed, with escapes.
    expect(passedOn).toBeGreaterThan(isLongForm ? 50 : 1);
  });
});

/** In `pnpm test`, takes every 23rd case. 23 is prime, so that changes and formats vary between positions. */
function sampleOf(cases: readonly Case[]): readonly Case[] {
  return isLongForm ? cases : cases.filter((_, index) => index % 23 === 0);
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.trimEnd().split('\n');
}
