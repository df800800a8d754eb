import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  acceptsMessages,
  chatKeyOf,
  decideAcceptance,
  IDEMPOTENCY_WINDOW_MS,
  numberOfKey,
  roomInLane,
  startsAfter,
  startsSetBack,
  summaryOf,
  throttledUntil,
} from '@trunkline/core/spi/storage';
import type {
  Acceptance,
  AcceptanceResult,
  ClaimedDelivery,
  IdempotencyRecord,
  Instance,
  LaneLimits,
  Storage,
} from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aMessage, anEvent, anInboundMessage, NOW, testId } from './examples.ts';
import {
  claimAt,
  enqueueAt,
  storeEndpoint,
  storeInstance,
  storeLeasedInstance,
  storeWorkspace,
  succeeded,
} from './fixtures.ts';
import { silent } from './test-database.ts';

/** Each run is compared on a database of its own, so a few of the model's runs take as long as many of these. */
const RUNS_EACH = 6;

/**
 * Some decisions may be made in SQL, if the result is that of a pure function of core. These tests compare the two on
 * random values around the limits. If one fails, fast-check prints its seed.
 */
export function decisionContract(subject: ContractSubject): void {
  const numRuns = (subject.randomRuns ?? 40) * RUNS_EACH;
  const check = async <Case>(cases: fc.Arbitrary<Case>, run: (storage: Storage, of: Case) => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(cases, async (of) => withStorage(subject, (storage) => run(storage, of))),
      { numRuns },
    );

  describe('a decision of the storage', () => {
    itAlways('about accepting messages is that of decideAcceptance', () =>
      check(accepting, compareAcceptances),
    );

    itAlways('about the deliveries that an endpoint may get is that of its lane', () =>
      check(claiming, compareClaims),
    );

    itAlways('about the chat of a message is that of chatKeyOf', () => check(chatting, compareChats));
  });
}

async function withStorage(
  subject: ContractSubject,
  run: (storage: Storage) => Promise<void>,
): Promise<void> {
  const database = await subject.createDatabase();
  const storage = database.connect();
  try {
    await storage.open({ newId: testId, logger: silent });
    await run(storage);
  } finally {
    await storage.close();
    await database.dispose();
  }
}

const accepting = fc.record({
  instance: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    fc.record({
      status: fc.constantFrom('connected', 'connecting', 'qr_required'),
      desired: fc.constantFrom('running', 'stopped'),
      phoneNumber: fc.constantFrom('15550100', null),
    }),
  ),
  change: fc.constantFrom('nothing', 'name', 'plan', 'suspension', 'number'),
  /** Messages of one group arrive together. */
  groups: fc.array(
    fc.record({
      /** How much later the group is created than the one before. */
      later: fc.constantFrom(10, IDEMPOTENCY_WINDOW_MS - 1, IDEMPOTENCY_WINDOW_MS),
      revision: fc.constantFrom('none', 'present', 'present', 'earlier'),
      messages: fc.array(
        fc.record({
          backlogLimit: fc.integer({ min: 1, max: 8 }),
          trialLimit: fc.constantFrom(null, null, null, null, 1, 2),
          key: fc.constantFrom(null, 'k1', 'k2'),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    { minLength: 2, maxLength: 5 },
  ),
} as const);

type Accepting = typeof accepting extends fc.Arbitrary<infer Case> ? Case : never;

async function compareAcceptances(storage: Storage, given: Accepting): Promise<void> {
  const workspace = await storeWorkspace(storage);
  const instance = await storeInstance(storage, workspace, given.instance);
  const revision = async (): Promise<string> =>
    must(await storage.messages.findSender(workspace.id, instance.id, { now: NOW, fresh: true })).revision;
  const earlier = await revision();
  const changed = await changeSender(storage, instance, given.change);
  const present = await revision();
  expect(earlier === present).toBe(given.change === 'nothing' || given.change === 'name');

  const revisions = { none: undefined, present, earlier };
  const records = new Map<string, IdempotencyRecord>();
  let [since, queued, trialMessagesUsed] = [NOW, 0, 0];
  const expected = (acceptance: Acceptance): AcceptanceResult => {
    const { idempotency } = acceptance;
    const result = decideAcceptance(acceptance, {
      revision: present,
      record: (idempotency && records.get(idempotency.key)) ?? null,
      instance: { acceptsMessages: acceptsMessages(changed), queued },
      trialMessagesUsed,
    });
    if (result.kind !== 'accepted') return result;
    queued += 1;
    if (acceptance.trialLimit !== null) trialMessagesUsed += 1;
    if (idempotency) records.set(idempotency.key, idempotency);
    return result;
  };
  for (const { later, revision: name, messages } of given.groups) {
    since += later;
    const acceptances = messages.map(({ key, ...one }, index): Acceptance => {
      const createdAt = since + index;
      const message = aMessage(instance, { createdAt });
      const idempotency = key === null ? null : { key, fingerprint: 'f', messageId: message.id, createdAt };
      return { ...one, message, idempotency, revision: revisions[name] };
    });
    const results = await Promise.all(acceptances.map((acceptance) => storage.messages.accept(acceptance)));
    expect(results).toEqual(acceptances.map(expected));
  }
}

/** Returns the instance after the change. */
async function changeSender(
  storage: Storage,
  instance: Instance,
  change: Accepting['change'],
): Promise<Instance> {
  const write = async (changes: Partial<Instance>): Promise<Instance> => {
    const written = { ...instance, ...changes };
    await storage.instances.write({ instance: written, event: null, lease: null });
    return written;
  };
  if (change === 'name') return write({ name: 'Another' });
  if (change === 'number') return write({ phoneNumber: '15550199' });
  if (change === 'plan') {
    await storage.workspaces.update(instance.workspaceId, { plan: { trialMessageLimit: 77 } });
  }
  if (change === 'suspension') await storage.workspaces.update(instance.workspaceId, { suspendedAt: NOW });
  return instance;
}

const WINDOW_MS = 20;
const limits = fc.record({
  slots: fc.integer({ min: 1, max: 4 }),
  startsPerWindow: fc.integer({ min: 1, max: 5 }),
});

const claiming = fc.record({
  limits,
  due: fc.array(fc.integer({ min: -2, max: 40 }), { minLength: 8, maxLength: 24 }),
  steps: fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('claim'),
          wait: fc.constantFrom(0, 1, 2, 5, WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1),
          limit: fc.integer({ min: 1, max: 6 }),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('complete'), count: fc.integer({ min: 1, max: 3 }) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('change limits'), limits }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('set clock back'), by: fc.integer({ min: 1, max: 30 }) }),
      },
    ),
    { minLength: 8, maxLength: 20 },
  ),
} as const);

type Claiming = typeof claiming extends fc.Arbitrary<infer Case> ? Case : never;

/** So long that no claim expires. */
const LEASE_MS = 600_000;

async function compareClaims(storage: Storage, { due, steps, ...given }: Claiming): Promise<void> {
  const endpoint = await storeEndpoint(storage, await storeWorkspace(storage));
  await enqueueAt(storage, endpoint, ...due.map((at) => NOW + at));
  const waiting = due.map((at) => NOW + at).toSorted((one, other) => one - other);
  let lane: LaneLimits = { ...given.limits, windowMs: WINDOW_MS };
  let [now, mayBeSetBack, starts] = [NOW, false, [] as readonly number[]];
  let held: readonly ClaimedDelivery[] = [];
  for (const step of steps) {
    switch (step.kind) {
      case 'claim': {
        now += step.wait;
        if (mayBeSetBack) starts = startsSetBack(starts, now);
        const room = roomInLane({ starts, claims: held.length }, lane, now);
        const expected = Math.min(step.limit, room, waiting.filter((at) => at <= now).length);
        const claim = claimAt(now, { ...lane, limit: step.limit, leaseMs: LEASE_MS, mayBeSetBack });
        const { claimed, nextAt } = await storage.deliveries.claim(claim);
        expect(claimed).toHaveLength(expected);
        held = [...held, ...claimed];
        // The storage forgets old starts only when it adds new ones.
        if (expected > 0) starts = startsAfter(starts, expected, lane, now);
        waiting.splice(0, expected);
        mayBeSetBack = false;
        const first = waiting[0];
        const isFull = held.length >= lane.slots;
        if (first !== undefined && !isFull) {
          expect(must(nextAt)).toBeLessThanOrEqual(Math.max(now, first, throttledUntil(starts, lane)));
        }
        break;
      }
      case 'complete': {
        const done = held.slice(0, step.count);
        held = held.slice(step.count);
        await storage.deliveries.complete(
          done.map((one) => succeeded(one, now)),
          now,
        );
        break;
      }
      case 'change limits':
        lane = { ...step.limits, windowMs: WINDOW_MS };
        break;
      case 'set clock back':
        now -= step.by;
        mayBeSetBack = true;
        break;
    }
  }
}

const chatting = fc.array(
  fc.record({
    direction: fc.constantFrom('inbound', 'outbound'),
    isInGroup: fc.constantFrom(false, false, true),
    hasContact: fc.constantFrom(false, false, true),
    from: fc.constantFrom('15550111', '15550122', null),
    to: fc.constantFrom('15550111', '15550122'),
  }),
  { minLength: 4, maxLength: 10 },
);

type Chatting = typeof chatting extends fc.Arbitrary<infer Case> ? Case : never;

async function compareChats(storage: Storage, given: Chatting): Promise<void> {
  const { workspace, instance, lease } = await storeLeasedInstance(storage);
  const groupId = testId('grp', NOW);
  const report = { networkId: 'lid:1', aliases: [], phoneNumber: null, name: 'Ada', username: null };
  const contact = await storage.contacts.save({ lease, workspaceId: workspace.id, report, now: NOW });
  if (contact === 'fenced') throw new Error('The lease has ended.');
  const latest = new Map<string, string>();
  for (const [index, one] of given.entries()) {
    const base = {
      createdAt: NOW + index,
      groupId: one.isInGroup ? groupId : null,
      contact: one.hasContact ? summaryOf(contact) : null,
    };
    const message =
      one.direction === 'outbound'
        ? aMessage(instance, { ...base, to: one.isInGroup ? null : one.to })
        : anInboundMessage(instance, {
            ...base,
            from: one.from,
            to: one.isInGroup ? null : instance.phoneNumber,
          });
    if (one.direction === 'outbound') {
      const acceptance = { message, idempotency: null, backlogLimit: 1000, trialLimit: null };
      expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
    } else {
      const arrival = { message, senderId: `s${index}`, contact: one.hasContact ? contact : null };
      const event = anEvent(workspace);
      expect(await storage.messages.receive(lease, { ...arrival, event })).toBe('received');
    }
    const key = chatKeyOf(message);
    if (key !== null) latest.set(key, message.id);
  }
  const expected = [...latest]
    .toSorted(([, one], [, other]) => (one < other ? 1 : -1))
    .map(([key, id]) => ({ id, number: numberOfKey(key) }));
  for (const _ of ['unfiled', 'filed']) {
    const { rows } = await storage.chats.list(workspace.id, instance.id, { from: null, limit: 100 });
    expect(rows.map(({ number, lastMessage }) => ({ id: lastMessage.id, number }))).toEqual(expected);
    await storage.chats.file?.(100);
  }
}
