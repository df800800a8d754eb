import fc from 'fast-check';
import type { InstanceWrite, QueueFailure } from '@trunkline/core/spi/storage';
import { anEvent, anInstance } from '../examples.ts';
import { step } from './step.ts';
import type { Step } from './step.ts';
import type { World } from './world.ts';

const instance = fc.nat({ max: 3 });
const lease = fc.nat({ max: 2 });
const owner = fc.constantFrom('a', 'b');
const status = fc.constantFrom('connected' as const, 'connected' as const, 'disconnected' as const);
const desired = fc.constantFrom('running' as const, 'running' as const, 'stopped' as const);
/** Now and then. */
const rarely = fc.constantFrom(false, false, false, true);
const TTL = 30_000;

export const instanceSteps: readonly Step[] = [
  step(
    'insert an instance',
    fc.record({
      workspace: fc.nat({ max: 1 }),
      limit: fc.option(fc.integer({ min: 1, max: 3 })),
      status,
      desired,
    }),
    async (world, choice) => {
      const owning = world.workspace(choice.workspace);
      const inserted = anInstance(owning, {
        id: world.newId('ins', world.now),
        status: choice.status,
        desired: choice.desired,
        createdAt: world.now,
      });
      world.instances.push(inserted);
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
    }),
    async (world, choice) => {
      const current = await world.instance(choice.instance);
      if (!current) return null;
      const operation = { id: 'opr_1', kind: 'disconnect', requestedAt: world.now } as const;
      const write: InstanceWrite = {
        instance: {
          ...current,
          status: choice.status,
          desired: choice.desired,
          operation: choice.operation ? operation : null,
          lastSeenAt: choice.seenBefore ? null : current.lastSeenAt,
          updatedAt: world.now,
          version: choice.stale ? current.version - 1 : current.version,
        },
        event: choice.event ? happening(world, current, 'instance.connected') : null,
        lease: choice.lease === null ? null : world.lease(choice.lease),
        forgetNumber: choice.erase,
      };
      const ending = { ...write, failQueued: queueFailure(world) };
      return ({ storage }) => storage.instances.write(choice.fail ? ending : write);
    },
  ),

  step('delete an instance', fc.record({ instance, lease, stale: rarely }), async (world, choice) => {
    const current = await world.instance(choice.instance);
    // The lease on this very instance, most of the time.
    const held = current && (await world.model.storage.leases.find(current.id, world.now));
    const under = held ?? world.lease(choice.lease);
    if (!current || !under) return null;
    const version = choice.stale ? current.version - 1 : current.version;
    const deletion = { instance: { ...current, version }, lease: under, failQueued: queueFailure(world) };
    return ({ storage }) => storage.instances.delete(deletion);
  }),

  step('see a sign of life', fc.record({ lease, ago: fc.nat({ max: 100 }) }), async (world, choice) => {
    const under = world.lease(choice.lease);
    return under && (({ storage }) => storage.instances.touch(under, world.now - choice.ago));
  }),

  step(
    'claim leases',
    fc.record({ owner, limit: fc.integer({ min: 1, max: 3 }) }),
    async (world, choice) =>
      async ({ storage, leases }) => {
        const taken = await storage.leases.claim({ ...choice, now: world.now, ttlMs: TTL });
        leases.push(...taken.map((one) => one.lease));
        return taken;
      },
  ),

  step(
    'register a process',
    fc.record({ owner, ago: fc.nat({ max: 100 }), asksUntil: fc.option(fc.nat(), { nil: undefined }) }),
    async (world, { owner: name, ago, asksUntil }) => {
      const report = {
        now: world.now,
        since: world.now - ago,
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

  step('renew leases', fc.record({ owner }), async (world, choice) => async ({ storage }) => {
    const renewed = await storage.leases.renew({ ...choice, now: world.now, ttlMs: TTL });
    return renewed.toSorted((a, b) => (a.lease.instanceId < b.lease.instanceId ? -1 : 1));
  }),

  step(
    'release a lease',
    fc.record({ lease, reservedFor: fc.option(fc.record({ owner, forMs: fc.nat({ max: TTL }) })) }),
    async (world, { lease: index, reservedFor }) => {
      const under = world.lease(index);
      const reservation = reservedFor && {
        owner: reservedFor.owner,
        until: world.now + reservedFor.forMs,
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
    async (world, choice) => {
      const under = world.lease(choice.lease);
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
    async (world, choice) => {
      const under = world.lease(choice.lease);
      const leased = world.instances.find(({ id }) => id === under?.instanceId);
      if (!under || !leased) return null;
      const { workspaceId } = leased;
      const { groups, full } = choice;
      const save = { lease: under, workspaceId, groups, full, now: world.now };
      return ({ storage }) => storage.groups.save(save);
    },
  ),
];

function queueFailure({ now }: World): QueueFailure {
  const error = { code: 'instance_gone', message: 'The instance is gone.' };
  return { error, now, eventsFrom: now * 1000 };
}

function happening(
  world: World,
  { workspaceId }: { readonly workspaceId: string },
  type: 'instance.connected',
) {
  const id = world.newId('evt', world.now);
  return anEvent({ id: workspaceId }, world.now, { id, type, payload: `the bytes of ${id}` });
}
