/**
 * The cost of verifying one webhook of 1 KB, compared with other services' libraries, each with its own service's
 * requests: the CPU time of one thread. ROUNDS and REPEATS are the sizes.
 */
import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { verify } from '@trunkline/receiver';
import { signRequest } from '@trunkline/receiver/testing';
import { compare, printMachine, printTable, ratios, size, spread } from './figures.ts';
import { inRounds } from './rounds.ts';

const ROUNDS = size('ROUNDS', 9);
const REPEATS = size('REPEATS', 20_000);

const SECRET = 'whsec_bm90IGEgc2VjcmV0IGJ1dCBsb25nIGVub3VnaA';
const event = {
  id: 'evt_01hzy3v7m2k9p4q8r6s5t1w0xb',
  type: 'message.sent',
  created_at: '2026-11-20T21:00:00.123456Z',
  workspace_id: 'ten_01hzy3v7m2k9p4q8r6s5t1w0xb',
  data: { message: { id: 'msg_01hzy3v7m2k9p4q8r6s5t1w0xb', text: 'x'.repeat(800) } },
};
const text = JSON.stringify(event);
const body = Buffer.from(text);

const ours = await signRequest({ secret: SECRET, body: text });
const headers = Object.fromEntries(new Headers(ours.headers));
const now = new Date();
const seconds = String(Math.floor(now.getTime() / 1000));
const key = Buffer.from(SECRET).toString('base64');
const standard = new StandardWebhook(key);
const svix = new SvixWebhook(key);
const stripe = new Stripe('sk_test_not_used');
const standardHeaders = {
  'webhook-id': event.id,
  'webhook-timestamp': seconds,
  'webhook-signature': standard.sign(event.id, now, text),
};
const svixHeaders = {
  'svix-id': event.id,
  'svix-timestamp': seconds,
  'svix-signature': svix.sign(event.id, now, text),
};
const stripeHeader = stripe.webhooks.generateTestHeaderString({ payload: text, secret: SECRET });
const octokitSignature = await octokitSign(SECRET, text);

/**
 * Each case returns something truthy. All verify the webhook and parse its JSON, except for the last two, which do only
 * one of these.
 */
const CASES = {
  trunkline: async () => (await verify({ secret: SECRET, headers, body })).ok,
  stripe: () => stripe.webhooks.constructEvent(text, stripeHeader, SECRET),
  svix: () => {
    svix.verify(text, svixHeaders);
    return JSON.parse(text) as unknown;
  },
  standardwebhooks: () => standard.verify(text, standardHeaders),
  octokit: async () => (await octokitVerify(SECRET, text, octokitSignature)) && (JSON.parse(text) as unknown),
  'octokit, no JSON': () => octokitVerify(SECRET, text, octokitSignature),
  'JSON alone': () => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown,
} satisfies Record<string, () => unknown>;
type Case = keyof typeof CASES;
const NAMES = Object.keys(CASES) as Case[]; // a literal has no other keys

for (const name of NAMES) if (!(await CASES[name]())) throw new Error(`${name} does not verify.`);

/** CPU time per call, in microseconds. */
const costs = await inRounds(NAMES, ROUNDS, async (name) => {
  const run: () => unknown = CASES[name];
  const before = process.cpuUsage();
  for (let index = 0; index < REPEATS; index += 1) {
    const result = run();
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REPEATS;
});

const perSecond = (values: readonly number[]): readonly number[] => values.map((cost) => 1e6 / cost);
const faster = (one: readonly number[], than: Case): readonly number[] => ratios(costs[than], one);
/** For libraries that do not parse the event. */
const withoutJson = costs.trunkline.map((cost, round) => cost - (costs['JSON alone'][round] ?? 0));

printMachine();
printTable(
  `Verifying ${body.length} bytes, ${ROUNDS} rounds of ${REPEATS}`,
  ['', 'per second of CPU', 'trunkline is faster by'],
  [
    ...NAMES.map((name) => [name, spread(perSecond(costs[name])), spread(faster(costs.trunkline, name), 2)]),
    ['trunkline less its JSON', spread(perSecond(withoutJson)), ''],
  ],
);
console.log();
compare('with JSON, of stripe', faster(costs.trunkline, 'stripe'), { atLeast: 1.2 });
compare('with JSON, of svix', faster(costs.trunkline, 'svix'), { atLeast: 3 });
compare('without JSON, of octokit', faster(withoutJson, 'octokit, no JSON'), { atLeast: 0.95 });
