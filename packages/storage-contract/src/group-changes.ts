import { describe, expect } from 'vitest';
import { GROUP_CHANGE_KEPT_MS } from '@trunkline/core/spi/storage';
import type { NewGroupChange } from '@trunkline/core/spi/storage';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW, testId } from './examples.ts';
import { storeInstance, storeWorkspace } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

const HOUR = 60 * 60_000;
const LIMITS = { changesPerHour: 3, newPeoplePerDay: 5 };
const KEY = { key: 'order-1042', fingerprint: 'aaaa' };

export function groupChangeContract(subject: ContractSubject): void {
  const open = testDatabases(subject);
  const change = (changes: Partial<NewGroupChange> = {}): NewGroupChange => ({
    id: testId('opr', changes.now ?? NOW),
    workspaceId: testId('ten', NOW),
    instanceId: testId('ins', NOW),
    now: NOW,
    newPeople: 0,
    key: null,
    ...changes,
  });

  describe('a change of a group', () => {
    itAlways('is made a few times an hour, and lets a few people in a day, for each instance', async () => {
      const { groupChanges } = await open();
      const { workspaceId, instanceId } = change();
      const begin = (now: number, newPeople = 0) =>
        groupChanges.begin(change({ workspaceId, instanceId, now, newPeople }), LIMITS);
      expect(await begin(NOW, 4)).toEqual({ kind: 'begun' });
      const people = { kind: 'limited', limit: 5, freeAt: NOW + GROUP_CHANGE_KEPT_MS };
      expect(await begin(NOW + 1, 2)).toEqual(people);
      expect(await begin(NOW + 1, 1)).toEqual({ kind: 'begun' });
      expect(await begin(NOW + 2)).toEqual({ kind: 'begun' });
      expect(await begin(NOW + 3)).toEqual({ kind: 'limited', limit: 3, freeAt: NOW + HOUR });
      expect(await groupChanges.begin(change({ now: NOW + 3, newPeople: 5 }), LIMITS)).toEqual({
        kind: 'begun',
      });
      expect(await begin(NOW + HOUR)).toEqual({ kind: 'begun' });
      expect(await begin(NOW + GROUP_CHANGE_KEPT_MS, 4)).toEqual({ kind: 'begun' });
    });

    itAlways('is known by its key for a day, with its outcome once there is one', async () => {
      const { groupChanges } = await open();
      const first = change({ key: KEY });
      const { workspaceId } = first;
      const repeat = change({ workspaceId, now: NOW + 5, key: { ...KEY, fingerprint: 'bbbb' } });
      const known = { fingerprint: 'aaaa', begunAt: NOW, outcome: null };
      expect(await groupChanges.findByKey(workspaceId, KEY.key, 0)).toBeNull();
      expect(await groupChanges.begin(first, LIMITS)).toEqual({ kind: 'begun' });
      expect(await groupChanges.begin(repeat, LIMITS)).toEqual({ kind: 'known', change: known });
      expect(await groupChanges.begin(change({ key: KEY }), LIMITS)).toEqual({ kind: 'begun' });
      await groupChanges.finish(first.id, '{"groupId":"grp_1"}');
      const finished = { ...known, outcome: '{"groupId":"grp_1"}' };
      expect(await groupChanges.begin(repeat, LIMITS)).toEqual({ kind: 'known', change: finished });
      expect(await groupChanges.findByKey(workspaceId, KEY.key, NOW - 1)).toEqual(finished);
      expect(await groupChanges.findByKey(workspaceId, KEY.key, NOW)).toBeNull();
      const later = change({ workspaceId, key: KEY, now: NOW + GROUP_CHANGE_KEPT_MS });
      expect(await groupChanges.begin(later, LIMITS)).toEqual({ kind: 'begun' });
    });

    itAlways('that was not made is counted, and its key is new again', async () => {
      const { groupChanges } = await open();
      const first = change({ key: KEY, newPeople: 3 });
      const again = { ...first, id: testId('opr', NOW + 1), now: NOW + 1 };
      await groupChanges.begin(first, LIMITS);
      await groupChanges.finish(first.id, null);
      expect(await groupChanges.begin(again, LIMITS)).toMatchObject({ kind: 'limited', limit: 5 });
      expect(await groupChanges.begin({ ...again, newPeople: 2 }, LIMITS)).toEqual({ kind: 'begun' });
    });

    it('stays within the limits and is made once for its key, however many begin concurrently', async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      const [one, other] = [await storeInstance(storage, workspace), await storeInstance(storage, workspace)];
      const begun = async (all: readonly NewGroupChange[]): Promise<number> => {
        const decisions = await Promise.all(all.map((each) => storage.groupChanges.begin(each, LIMITS)));
        return decisions.filter(({ kind }) => kind === 'begun').length;
      };
      const workspaceId = workspace.id;
      const many = Array.from({ length: 10 }, () => change({ workspaceId, instanceId: one.id }));
      expect(await begun(many)).toBe(3);
      const same = [one, other, other].map(({ id }) =>
        change({ workspaceId, instanceId: id, now: NOW + 2 * HOUR, key: KEY }),
      );
      expect(await begun(same)).toBe(1);
    });

    it('is deleted after a day, the oldest first', async () => {
      const { groupChanges } = await open();
      const keys = ['a', 'b', 'c'];
      const { workspaceId } = change();
      for (const [index, key] of keys.entries())
        await groupChanges.begin(change({ workspaceId, now: NOW + index, key: { ...KEY, key } }), LIMITS);
      const left = async (): Promise<readonly string[]> => {
        const found = await Promise.all(keys.map((key) => groupChanges.findByKey(workspaceId, key, 0)));
        return keys.filter((_, index) => found[index] !== null);
      };
      expect(await groupChanges.deleteExpired(NOW + 2, 1)).toBe(1);
      expect(await left()).toEqual(['b', 'c']);
      expect(await groupChanges.deleteExpired(NOW + 2, 5)).toBe(1);
      expect(await left()).toEqual(['c']);
    });
  });
}
