import fc from 'fast-check';
import type { Instance, InstanceWrite, QueueFailure } from '@trunkline/core/spi/storage';
import { aHistoryEntry, anEvent, anInstance } from '../examples.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';
import type { Scenario } from './scenario.ts';

const instance = fc.nat({ max: 3 });
const lease = fc.nat({ max: 2 });
const owner = fc.constantFrom('a', 'b');
const network = fc.constantFrom('sandbox', 'sandbox', 'another');
const networks = fc.constantFrom(['sandbox'], ['another'], ['another', 'sandbox']);
const status = fc.constantFrom('connected' as const, 'connected' as const, 'disconnected' as const);
const desired = fc.constantFrom('running' as const, 'running' as const, 'stopped' as const);
const rarely = fc.constantFrom(false, false, false, true);
const TTL = 30_000;

export const instanceSteps: readonly Step[] = [
  step(
    'insert an instance',
    fc.record({
      workspace: fc.nat({ max: 1 }),
      limit: fc.option(fc.integer({ min: 1, max: 3 })),
      network,
      status,
      desired,
    }),
    async (scenario, choice) => {
      const owning = scenario.workspace(choice.workspace);
      const inserted = anInstance(owning, {
        id: scenario.newId('ins', scenario.now),
        network: choice.network,
        status: choice.status,
        desired: choice.desired,
        createdAt: scenario.now,
      });
      scenario.instances.push(inserted);
      return ({ storage }) => storage.instances.insert(inserted, choice.limit);
    },
  ),

  step(
    'write an instance',
    fc.record({
      instance,
      status,
      desired,
      stale: rarely,
      lease: fc.option(lease),
      event: fc.boolean(),
      fail: rarely,
      erase: rarely,
      operation: rarely,
      seenBefore: rarely,
      down: rarely,
      entry: fc.boolean(),
    }),
    async (scenario, choice) => {
      const current = await scenario.instance(choice.instance);
      if (!current) return null;
      const operation = { id: 'opr_1', kind: 'disconnect', requestedAt: scenario.now } as const;
      const write: InstanceWrite = {
        instance: {
          ...current,
          status: choice.status,
          desired: choice.desired,
          operation: choice.operation ? operation : null,
          lastSeenAt: choice.seenBefore ? null : current.lastSeenAt,
          downSince: choice.down ? scenario.now : null,
          updatedAt: scenario.now,
          version: choice.stale ? current.version - 1 : current.version,
        },
        event: choice.event ? happening(scenario, current, 'instance.connected') : null,
        lease: choice.lease === null ? null : scenario.lease(choice.lease),
        forgetNumber: choice.erase,
        entry: choice.entry ? entryOf(scenario, current) : null,
      };
      const ending = { ...write, failQueued: queueFailure(scenario) };
      return ({ storage }) => storage.instances.write(choice.fail ? ending : write);
    },
  ),

  step('delete an instance', fc.record({ instance, lease, stale: rarely }), async (scenario, choice) => {
    const current = await scenario.instance(choice.instance);
    const held = current && (await scenario.model.storage.leases.find(current.id, scenario.now));
    const under = held ?? scenario.lease(choice.lease);
    if (!current || !under) return null;
    const version = choice.stale ? current.version - 1 : current.version;
    const deletion = { instance: { ...current, version }, lease: under, failQueued: queueFailure(scenario) };
    return async ({ storage }) => {
      await storage.schedule.fail(under, current.workspaceId, deletion.failQueued);
      return storage.instances.delete(deletion);
    };
  }),

  step(
    'note what happened to an instance',
    fc.record({ lease, again: fc.boolean() }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const leased = scenario.instances.find(({ id }) => id === under?.instanceId);
      if (!under || !leased) return null;
      const entry = entryOf(scenario, leased);
      const again = { ...entry, count: 2, lastAt: scenario.now + 1, next: null };
      return async ({ storage }) => {
        await storage.instances.note(under, entry);
        if (choice.again) await storage.instances.note(under, again);
      };
    },
  ),

  step(
    'delete old history',
    fc.record({ ago: fc.nat({ max: 100 }), limit: fc.integer({ min: 1, max: 5 }) }),
    async (scenario, { ago, limit }) =>
      ({ storage }) =>
        storage.retention.deleteInstanceHistory(scenario.now - ago, limit),
  ),

  step('see a sign of life', fc.record({ lease, ago: fc.nat({ max: 100 }) }), async (scenario, choice) => {
    const under = scenario.lease(choice.lease);
    return under && (({ storage }) => storage.instances.touch(under, scenario.now - choice.ago));
  }),

  step(
    'claim leases',
    fc.record({ owner, networks, limit: fc.integer({ min: 1, max: 3 }) }),
    async (scenario, choice) =>
      async ({ storage, leases }) => {
        const taken = await storage.leases.claim({ ...choice, now: scenario.now, ttlMs: TTL });
        leases.push(...taken.map((one) => one.lease));
        return taken;
      },
  ),

  step(
    'register a process',
    fc.record({
      owner,
      network,
      ago: fc.nat({ max: 100 }),
      asksUntil: fc.option(fc.nat(), { nil: undefined }),
    }),
    async (scenario, { owner: name, network: of, ago, asksUntil }) => {
      const report = {
        network: of,
        now: scenario.now,
        since: scenario.now - ago,
        ...(asksUntil !== undefined && { asksUntil }),
      };
      return ({ storage }) => storage.processes.register(name, report);
    },
  ),

  step(
    'deregister a process',
    owner,
    async (_, name) =>
      ({ storage }) =>
        storage.processes.deregister(name),
  ),

  step('renew leases', fc.record({ owner }), async (scenario, choice) => async ({ storage }) => {
    const renewed = await storage.leases.renew({ ...choice, now: scenario.now, ttlMs: TTL });
    return renewed.toSorted((a, b) => (a.lease.instanceId < b.lease.instanceId ? -1 : 1));
  }),

  step(
    'release a lease',
    fc.record({ lease, reservedFor: fc.option(fc.record({ owner, forMs: fc.nat({ max: TTL }) })) }),
    async (scenario, { lease: index, reservedFor }) => {
      const under = scenario.lease(index);
      const reservation = reservedFor && {
        owner: reservedFor.owner,
        until: scenario.now + reservedFor.forMs,
      };
      return under && (({ storage }) => storage.leases.release(under, reservation ?? undefined));
    },
  ),

  step(
    'save a session',
    fc.record({
      lease,
      name: fc.constantFrom('creds', 'key 1'),
      bytes: fc.option(fc.uint8Array({ maxLength: 5 })),
    }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      return under && (({ storage }) => storage.sessions.save(under, new Map([[choice.name, choice.bytes]])));
    },
  ),

  step(
    'save groups',
    fc.record({
      lease,
      groups: fc.array(
        fc.record({
          networkId: fc.constantFrom('g1', 'g2', 'g3'),
          name: fc.constantFrom('Team', 'b', '～', '😀'),
          participantsCount: fc.nat({ max: 9 }),
        }),
        { maxLength: 3 },
      ),
      full: fc.boolean(),
    }),
    async (scenario, choice) => {
      const under = scenario.lease(choice.lease);
      const leased = scenario.instances.find(({ id }) => id === under?.instanceId);
      if (!under || !leased) return null;
      const { workspaceId } = leased;
      const { groups, full } = choice;
      const save = { lease: under, workspaceId, groups, full, now: scenario.now };
      return ({ storage }) => storage.groups.save(save);
    },
  ),
];

function entryOf(scenario: Scenario, instance: Instance) {
  return aHistoryEntry(instance, { id: scenario.newId('hst', scenario.now), at: scenario.now });
}

function queueFailure({ now }: Scenario): QueueFailure {
  const error = { code: 'instance_gone', message: 'The instance is gone.' };
  return { error, now, eventsFrom: now * 1000 };
}

function happening(
  scenario: Scenario,
  { workspaceId }: { readonly workspaceId: string },
  type: 'instance.connected',
) {
  const id = scenario.newId('evt', scenario.now);
  return anEvent({ id: workspaceId }, scenario.now, { id, type, payload: `the bytes of ${id}` });
}
