import { createTrunkline, silentLogger } from '@trunkline/core';
import type { ProcessMonitor, Trunkline } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryStorage } from './support/memory-storage.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** A time after which a stop no longer waits. */
const STOP_MS = 30 * SECOND;

const NONE = { api: false, gateway: false, webhooks: false, maintenance: false };
const vitals = { host: 'one', pid: 7, runtime: 'Node.js 24.0.0', memoryBytes: 90_000_000, busyPercent: 2 };

describe('the processes of a service', () => {
  it('are listed with what they do, hold and report, until they stop', async () => {
    const on = ready();
    const processMonitor = { read: vi.fn<ProcessMonitor['read']>(() => vitals) };
    const gateway = on.service({ roles: { ...NONE, gateway: true }, processMonitor });
    const api = on.service({ roles: { ...NONE, api: true } });
    await gateway.start();
    const startedAt = on.clock.now();
    await on.clock.settle();
    await on.clock.advance(10 * SECOND);
    await api.start();
    const { id: workspaceId } = await api.admin.workspaces.create({ name: 'Acme' });
    const { id } = await api.workspace(workspaceId).instances.create();
    await api.workspace(workspaceId).instances.connect(id);
    await on.clock.settle();

    const listed = await api.admin.processes();
    expect(listed).toHaveLength(2);
    const [holder] = listed.filter(({ held }) => held === 1);
    expect(holder).toEqual({
      name: expect.stringMatching(/^[\w-]{16}$/) as string,
      roles: ['gateway'],
      startedAt,
      reportedAt: startedAt,
      vitals,
      held: 1,
      isSilent: false,
    });
    expect(listed.find(({ held }) => held === 0)).toMatchObject({ roles: ['api'], vitals: null });

    processMonitor.read.mockReturnValue({ ...vitals, busyPercent: 99 });
    await on.clock.advance(30 * SECOND);
    expect(await api.admin.processes()).toContainEqual({
      ...holder,
      vitals: { ...vitals, busyPercent: 99 },
      reportedAt: startedAt + 30 * SECOND,
    });

    await on.stop(gateway);
    expect(await api.admin.processes()).toMatchObject([{ roles: ['api'] }]);
  });

  it('are silent, and then forgotten, when they have died', async () => {
    const on = ready();
    const [dying, other] = [on.service(), on.service({ roles: { ...NONE, api: true } })];
    await dying.start();
    await on.clock.settle();
    await on.stop(dying, { withdraw: false });
    await other.start();
    const silent = async (): Promise<readonly boolean[]> =>
      (await other.admin.processes()).filter(({ roles }) => roles.length > 1).map(({ isSilent }) => isSilent);
    expect(await silent()).toEqual([false]);
    await on.clock.advance(75 * SECOND - STOP_MS);
    expect(await silent()).toEqual([false]);
    await on.clock.advance(1 * SECOND);
    expect(await silent()).toEqual([true]);
    await on.clock.advance(60 * MINUTE);
    expect(await silent()).toEqual([]);
  });

  it('are not those that take up no work', async () => {
    const on = ready();
    const idle = on.service({ roles: NONE });
    await idle.start();
    await on.clock.advance(MINUTE);
    expect(await idle.admin.processes()).toEqual([]);
    const handling = on.service({ roles: NONE });
    handling.on(['message.sent'], async () => {}, { name: 'billing' });
    await handling.start();
    await on.clock.settle();
    expect(await idle.admin.processes()).toMatchObject([{ roles: ['handlers'] }]);
  });

  it('keep working if one cannot write its report, which is logged', async () => {
    const on = ready();
    const error = vi.fn();
    vi.spyOn(on.storage.processes, 'report').mockRejectedValue(new Error('The disk is full.'));
    const service = on.service({ logger: { ...silentLogger, error } });
    await service.start();
    await on.clock.settle();
    expect(error.mock.calls).toMatchObject([
      [{ operation: 'storage.processes.report', purpose: 'which processes run' }, expect.any(String)],
    ]);
    expect(await service.admin.storage()).toEqual({
      database: expect.stringMatching(/^SQLite \d/),
      schemaVersion: expect.any(Number),
      sizeBytes: null,
    });
  });
});

function ready() {
  const storage = memoryStorage();
  const { clock, ...runtime } = testRuntime();
  const stop = async (service: Trunkline, { withdraw = true } = {}): Promise<void> => {
    const kept = withdraw ? null : vi.spyOn(storage.processes, 'withdraw').mockResolvedValue();
    const stopped = service.stop();
    await clock.advance(STOP_MS);
    await stopped;
    kept?.mockRestore();
  };
  return {
    storage,
    clock,
    stop,
    service(options: Partial<Parameters<typeof createTrunkline>[0]> = {}): Trunkline {
      const service = createTrunkline({
        ...runtime,
        clock,
        storage,
        gateways: [createSandbox().gateway],
        logger: silentLogger,
        secretKey: 'a secret key of the tests, long enough',
        ...options,
      });
      onTestFinished(() => stop(service));
      return service;
    },
  };
}
