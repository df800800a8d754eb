import { describe, expect } from 'vitest';
import { ENTRIES_PER_HOUR } from '@trunkline/core/spi/storage';
import type { HistoryEntry } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { aHistoryEntry, anInstance, DAY, NOW } from './examples.ts';
import {
  loseLease,
  QUEUE_FAILURE,
  renaming,
  storeInstance,
  storeLeasedInstance,
  storeWorkspace,
} from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function instanceHistoryContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  async function openWithEntries(count: number) {
    const storage = await open();
    const { workspace, instance, lease } = await storeLeasedInstance(storage);
    const entries = Array.from({ length: count }, (_, index) => aHistoryEntry(instance, { at: NOW + index }));
    for (const entry of entries) await storage.instances.note(lease, entry);
    const list = async (limit = 100, since = 0) =>
      (await storage.history.list(workspace.id, instance.id, { from: null, limit }, since)).rows;
    return { storage, workspace, instance, lease, entries, list };
  }

  describe('the history of an instance', () => {
    it('has every field of an entry that is written with a change', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instance = anInstance(workspace);
      const created = aHistoryEntry(instance, {
        at: NOW,
        reason: 'created',
        causedBy: 'api',
        from: null,
        code: null,
        networkCode: null,
        next: null,
        process: null,
        previousProcess: null,
      });
      expect(await storage.instances.insert(instance, null, created)).toBe('inserted');
      const changed = aHistoryEntry(instance, { at: NOW + 1, count: 3, lastAt: NOW + 9 });
      await storage.instances.write({ ...renaming(instance, 'New'), entry: changed });
      const page = await storage.history.list(workspace.id, instance.id, { from: null, limit: 10 }, 0);
      expect(page).toEqual({ rows: [changed, created], hasOlder: false, hasNewer: false });
    });

    it('has nothing of an insert or a write that was not made', async () => {
      const { storage, workspace, instance, lease, list } = await openWithEntries(0);
      const refused = anInstance(workspace);
      expect(await storage.instances.insert(refused, 1, aHistoryEntry(refused))).toBe('limit_reached');
      expect(
        (await storage.history.list(workspace.id, refused.id, { from: null, limit: 10 }, 0)).rows,
      ).toEqual([]);

      const entry = aHistoryEntry(instance);
      const stale = { ...instance, version: instance.version + 1 };
      expect(await storage.instances.write({ ...renaming(stale, 'New'), entry })).toEqual({ kind: 'stale' });
      await loseLease(storage, lease);
      expect(await storage.instances.write({ ...renaming(instance, 'New'), lease, entry })).toEqual({
        kind: 'fenced',
      });
      await storage.instances.note(lease, entry);
      expect(await list()).toEqual([]);
    });

    it('has the entries of writes that are made concurrently, each with its own', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const instances = await Promise.all(
        Array.from({ length: 20 }, () => storeInstance(storage, workspace)),
      );
      const entries = instances.map((instance) => aHistoryEntry(instance));
      const written = await Promise.all(
        instances.map((instance, index) =>
          storage.instances.write({ ...renaming(instance, 'New'), entry: must(entries[index]) }),
        ),
      );
      expect(new Set(written.map(({ kind }) => kind))).toEqual(new Set(['written']));
      for (const [index, { id }] of instances.entries()) {
        const { rows } = await storage.history.list(workspace.id, id, { from: null, limit: 10 }, 0);
        expect(rows).toEqual([entries[index]]);
      }
    });

    it('counts a repetition in the entry that it repeats', async () => {
      const { storage, instance, lease, entries, list } = await openWithEntries(1);
      const again: HistoryEntry = {
        ...must(entries[0]),
        count: 2,
        lastAt: NOW + 5,
        next: { kind: 'reconnect', at: NOW + 99 },
      };
      await storage.instances.note(lease, again);
      expect(await list()).toEqual([again]);
      const third = { ...again, count: 3, lastAt: NOW + 6, next: null };
      await storage.instances.write({ ...renaming(instance, 'New'), lease, entry: third });
      expect(await list()).toEqual([third]);
    });

    it('counts entries beyond 200 in an hour in the latest entry of their reason', async () => {
      const { storage, instance, lease, entries, list } = await openWithEntries(ENTRIES_PER_HOUR - 1);
      const neighbour = await storeLeasedInstance(storage);
      const at = NOW + ENTRIES_PER_HOUR;
      const made = aHistoryEntry(instance, { at, reason: 'connect_failed', networkCode: '1' });
      await storage.instances.note(lease, made);
      // Each entry has a different code, so that no writer counts it as a repetition.
      const more = ['2', '3', '4'].map((networkCode, index) =>
        aHistoryEntry(instance, {
          at: at + 1 + index,
          reason: 'connect_failed',
          networkCode,
          next: { kind: 'reconnect', at: at + 100 + index },
        }),
      );
      const [second, third, fourth] = more;
      await storage.instances.note(lease, must(second));
      await storage.instances.write({ ...renaming(instance, 'New'), lease, entry: must(third) });
      // The third entry is repeated under its own id, because its writer does not know which entry counted it.
      await storage.instances.note(lease, { ...must(third), count: 2, lastAt: at + 50 });
      await storage.instances.note(lease, must(fourth));
      const counted = { ...made, count: 5, next: must(fourth).next, lastAt: must(fourth).at };
      expect((await list())[0]).toEqual(counted);

      const other = aHistoryEntry(instance, { at: at + 60, reason: 'reconnected' });
      await storage.instances.note(lease, other);
      await storage.instances.note(neighbour.lease, aHistoryEntry(neighbour.instance, { at: at + 61 }));
      // A repetition of a stored entry still replaces the stored entry.
      const repeated = { ...must(entries.at(-1)), count: 7, lastAt: at + 62 };
      await storage.instances.note(lease, repeated);
      expect((await list()).slice(0, 3)).toEqual([other, counted, repeated]);
      const later = aHistoryEntry(instance, { at: at + DAY / 24 + 5, reason: 'connect_failed' });
      await storage.instances.note(lease, later);
      expect((await list()).slice(0, 3)).toEqual([later, other, counted]);
      const all = await storage.history.list(
        neighbour.workspace.id,
        neighbour.instance.id,
        { from: null, limit: 10 },
        0,
      );
      expect(all.rows).toHaveLength(1);
    });

    it('counts each of many that are written concurrently', async () => {
      const { storage, instance, lease, list } = await openWithEntries(ENTRIES_PER_HOUR);
      const more = Array.from({ length: 20 }, (_, index) =>
        aHistoryEntry(instance, { at: NOW + 1_000 + index, networkCode: String(index) }),
      );
      await Promise.all(more.map((entry) => storage.instances.note(lease, entry)));
      expect((await list())[0]).toMatchObject({ count: 21, lastAt: NOW + 1_019 });
    });

    it('is read page by page, newest first, from any place in both directions', async () => {
      const { storage, workspace, instance, entries } = await openWithEntries(7);
      const newestFirst = entries.toReversed();
      const read = (from: Parameters<typeof storage.history.list>[2]['from']) =>
        storage.history.list(workspace.id, instance.id, { from, limit: 3 }, 0);
      expect(await read(null)).toEqual({ rows: newestFirst.slice(0, 3), hasOlder: true, hasNewer: false });
      expect(await read({ direction: 'older', id: must(newestFirst[2]).id })).toEqual({
        rows: newestFirst.slice(3, 6),
        hasOlder: true,
        hasNewer: true,
      });
      expect(await read({ direction: 'older', id: must(newestFirst[5]).id })).toEqual({
        rows: newestFirst.slice(6),
        hasOlder: false,
        hasNewer: true,
      });
      expect(await read({ direction: 'newer', id: must(newestFirst[3]).id })).toEqual({
        rows: newestFirst.slice(0, 3),
        hasOlder: true,
        hasNewer: false,
      });
    });

    it('is not found by another workspace, nor with that of another instance', async () => {
      const { storage, workspace, instance, list } = await openWithEntries(2);
      const [other, neighbour] = [await storeWorkspace(storage), await storeInstance(storage, workspace)];
      const page = { from: null, limit: 10 };
      expect((await storage.history.list(other.id, instance.id, page, 0)).rows).toEqual([]);
      expect((await storage.history.list(workspace.id, neighbour.id, page, 0)).rows).toEqual([]);
      expect((await storage.history.list(workspace.id, 'ins_unknown', page, 0)).rows).toEqual([]);
      expect(await list()).toHaveLength(2);
    });

    it('outlives its instance, with an entry of its end', async () => {
      const { storage, workspace, instance, lease, entries } = await openWithEntries(1);
      const end = aHistoryEntry(instance, { at: NOW + 1, reason: 'deleted', to: null });
      const deletion = { instance, lease, failQueued: QUEUE_FAILURE, entry: end };
      expect(await storage.instances.delete({ ...deletion, instance: { ...instance, version: 99 } })).toBe(
        'stale',
      );
      expect(await storage.instances.delete(deletion)).toBe('deleted');
      const { rows } = await storage.history.list(workspace.id, instance.id, { from: null, limit: 10 }, 0);
      expect(rows).toEqual([end, ...entries]);
    });

    itAlways('ends at its retention for readers, and is deleted in steps', async () => {
      const { storage, instance, lease, entries, list } = await openWithEntries(5);
      const late = aHistoryEntry(instance, { at: NOW + DAY });
      await storage.instances.note(lease, late);
      expect(await list(100, NOW + 3)).toEqual([late, entries[4], entries[3]]);
      expect(await storage.retention.deleteInstanceHistory(NOW + 3, 2)).toBe(2);
      expect(await list()).toEqual([late, ...entries.slice(2).toReversed()]);
      expect(await storage.retention.deleteInstanceHistory(NOW + 3, 2)).toBe(1);
      expect(await storage.retention.deleteInstanceHistory(NOW + 3, 2)).toBe(0);
      expect(await list()).toEqual([late, entries[4], entries[3]]);
    });
  });
}
