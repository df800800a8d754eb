import { createNewId } from '@trunkline/core/spi/storage';
import type { Instance, Lease, Storage } from '@trunkline/core/spi/storage';
import { nodeRuntime } from '@trunkline/core/node';
import { newId } from '../storages.ts';

const HOUR_MS = 3_600_000;
/** An hour has fewer than `ENTRIES_PER_HOUR` entries. */
const ENTRY_EVERY_MS = 60_000;
const FILED_AT_ONCE = 1_000;

/** Returns the leases by instance id. */
export async function leaseAll(storage: Storage): Promise<ReadonlyMap<string, Lease>> {
  const taken = await storage.leases.claim({
    owner: 'bench',
    now: Date.now(),
    networks: ['sandbox'],
    ttlMs: HOUR_MS,
    limit: 1_000,
  });
  return new Map(taken.map(({ lease }) => [lease.instanceId, lease]));
}

/** The event has no subscribers. */
export async function logEvent(
  storage: Storage,
  lease: Lease,
  { id: instanceId, workspaceId, messageId }: Pick<Instance, 'id' | 'workspaceId'> & { messageId: string },
): Promise<void> {
  const now = Date.now();
  const id = newId('evt', now);
  const payload = JSON.stringify({ id, text: 'hello world '.repeat(10) });
  const event = { id, workspaceId, type: 'message.edited', occurredAt: now * 1000, payload } as const;
  const recorded = await storage.activities.record(lease, {
    key: null,
    recordedAt: now,
    change: null,
    event: { ...event, subject: { instanceId, messageId } },
  });
  if (recorded !== 'recorded') throw new Error(`An event was not stored: ${recorded}.`);
}

/** Writes one entry per minute, the last one a minute ago. */
export async function writeHistory(
  storage: Storage,
  lease: Lease,
  { instance, entries }: { readonly instance: Instance; readonly entries: number },
): Promise<void> {
  const now = Date.now();
  for (let left = entries; left > 0; left -= 1) {
    const at = now - left * ENTRY_EVERY_MS;
    await storage.instances.note(lease, {
      // The storage's own factory has already made ids of later times.
      id: createNewId(nodeRuntime().random.bytes)('hst', at),
      workspaceId: instance.workspaceId,
      instanceId: instance.id,
      reason: 'connection_dropped',
      causedBy: 'gateway',
      from: 'connected',
      to: 'connecting',
      code: null,
      networkCode: '428',
      next: { kind: 'reconnect', at: at + 12_000 },
      process: 'bench',
      previousProcess: null,
      at,
      count: 1,
      lastAt: at,
    });
  }
}

export async function fileMessages({ chats }: Storage): Promise<void> {
  while ((await chats.file?.(FILED_AT_ONCE))?.more === true);
}
