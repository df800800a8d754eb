import { describe, expect } from 'vitest';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW } from './examples.ts';
import { loseLease, storeInstance, storeLeasedInstance, storeWorkspace } from './fixtures.ts';
import { testDatabases } from './test-database.ts';

export function sessionContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('sessions', () => {
    it('are empty to begin with', async () => {
      const storage = await open();
      const { instance } = await storeLeasedInstance(storage);
      expect(entries(await storage.sessions.load(instance.id))).toEqual([]);
      expect(entries(await storage.sessions.load('ins_unknown'))).toEqual([]);
    });

    it('keep bytes exactly, each instance its own', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      // A view into a larger buffer, as Buffers often are.
      const view = everyByte.subarray(10, 13);
      const changes = new Map([
        ['creds', everyByte],
        ['empty', new Uint8Array(0)],
        ['view', view],
      ]);
      expect(await storage.sessions.save(lease, changes)).toBe('saved');
      expect(entries(await storage.sessions.load(instance.id))).toEqual([
        ['creds', [...everyByte]],
        ['empty', []],
        ['view', [10, 11, 12]],
      ]);
      expect(entries(await storage.sessions.load(neighbour.id))).toEqual([]);
    });

    it("are each instance's own if many are loaded at the same time", async () => {
      const storage = await open();
      const workspace = await storeWorkspace(storage);
      for (let index = 0; index < 50; index += 1) await storeInstance(storage, workspace);
      const claim = { owner: 'a', now: NOW, networks: ['sandbox'], ttlMs: 30_000, limit: 50 };
      const leases = (await storage.leases.claim(claim)).map(({ lease }) => lease);
      for (const [index, lease] of leases.entries()) {
        const values = new Map(
          Array.from({ length: index % 3 }, (_, name) => [`${name}`, Uint8Array.of(index, name)]),
        );
        await storage.sessions.save(lease, values);
      }
      const loaded = await Promise.all(
        [...leases, ...leases].map(({ instanceId }) => storage.sessions.load(instanceId)),
      );
      expect(loaded.map(entries)).toEqual(
        [...leases, ...leases].map((_, place) => {
          const index = place % leases.length;
          return Array.from({ length: index % 3 }, (__, name) => [`${name}`, [index, name]]);
        }),
      );
    });

    it('change in the given values, of which null deletes one', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const save = (changes: readonly (readonly [string, Uint8Array | null])[]) =>
        storage.sessions.save(lease, new Map(changes));
      await save([
        ['kept', Uint8Array.of(1)],
        ['changed', Uint8Array.of(2)],
        ['deleted', Uint8Array.of(3)],
      ]);
      await save([
        ['changed', Uint8Array.of(22)],
        ['deleted', null],
        ['never there', null],
      ]);
      expect(entries(await storage.sessions.load(instance.id))).toEqual([
        ['changed', [22]],
        ['kept', [1]],
      ]);
    });

    itAlways('are read by their names, and nothing else of them', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const written = new Map([
        ['key.one', Uint8Array.of(1)],
        ['key.two', new Uint8Array(0)],
        ['key."three"', Uint8Array.of(3)],
      ]);
      await storage.sessions.save(lease, written);
      const { sessions } = storage;
      expect(
        entries(await sessions.read(instance.id, ['key.two', 'none', 'key."three"', 'key.two'])),
      ).toEqual([
        ['key."three"', [3]],
        ['key.two', []],
      ]);
      expect(entries(await sessions.read(instance.id, []))).toEqual([]);
      expect(entries(await sessions.read(neighbour.id, ['key.one']))).toEqual([]);
      expect(entries(await sessions.read('ins_unknown', ['key.one']))).toEqual([]);
    });

    itAlways(
      'are listed by their names page by page, those with a prefix too, also while some are deleted',
      async () => {
        const storage = await open();
        const { workspace, instance, lease } = await storeLeasedInstance(storage);
        const neighbour = await storeInstance(storage, workspace);
        // If sorting ignored punctuation, names with the same prefix would not be neighbours.
        const listed = [
          'key.pair.1',
          'key.pair.2',
          'key-pair.3',
          'KEY.pair.4',
          'key.pairs',
          'key.pair.é',
          'key%',
          'k',
        ];
        await storage.sessions.save(lease, new Map(listed.map((name) => [name, Uint8Array.of(1)])));
        const all = async (prefix: string, limit: number): Promise<readonly string[]> => {
          const found: string[] = [];
          for (let after: string | null = null; ; after = found.at(-1) ?? null) {
            const page = await storage.sessions.names(instance.id, { prefix, after, limit });
            found.push(...page);
            if (page.length < limit) return found;
          }
        };
        expect((await all('', 3)).toSorted()).toEqual(listed.toSorted());
        expect((await all('key.pair.', 1)).toSorted()).toEqual(['key.pair.1', 'key.pair.2', 'key.pair.é']);
        expect(await all('key_', 2)).toEqual([]);
        expect(await all('', 100)).toEqual(await all('', 1));

        const [first = ''] = await all('key.pair.', 1);
        const before = await all('key.pair.', 100);
        await storage.sessions.save(lease, new Map([[first, null]]));
        const rest = await storage.sessions.names(instance.id, {
          prefix: 'key.pair.',
          after: first,
          limit: 100,
        });
        expect(rest).toEqual(before.slice(1));
        const page = { prefix: '', after: null, limit: 10 };
        expect(await storage.sessions.names(neighbour.id, page)).toEqual([]);
        expect(await storage.sessions.names('ins_unknown', page)).toEqual([]);
      },
    );

    it('are fenced', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      await storage.sessions.save(lease, new Map([['creds', Uint8Array.of(1)]]));
      await loseLease(storage, lease);
      const late = new Map([
        ['creds', null],
        ['new', Uint8Array.of(2)],
      ]);
      expect(await storage.sessions.save(lease, late)).toBe('fenced');
      expect(entries(await storage.sessions.load(instance.id))).toEqual([['creds', [1]]]);
    });

    itAlways('are replaced value by value where nothing has changed since, without a lease', async () => {
      const storage = await open();
      const { workspace, instance, lease } = await storeLeasedInstance(storage);
      const neighbour = await storeInstance(storage, workspace);
      const written = new Map([
        ['same', Uint8Array.of(1)],
        ['written since', Uint8Array.of(20)],
        ['empty', new Uint8Array(0)],
      ]);
      await storage.sessions.save(lease, written);
      await loseLease(storage, lease);
      const from = (value: number): { from: Uint8Array; to: Uint8Array } => ({
        from: Uint8Array.of(value),
        to: Uint8Array.of(value + 100),
      });
      const replacements = new Map([
        ['same', from(1)],
        ['written since', from(2)],
        ['deleted since', from(3)],
        ['empty', { from: new Uint8Array(0), to: Uint8Array.of(104) }],
      ]);
      await storage.sessions.replace(instance.id, replacements);
      await storage.sessions.replace(neighbour.id, replacements);
      await storage.sessions.replace('ins_unknown', replacements);
      expect(entries(await storage.sessions.load(instance.id))).toEqual([
        ['empty', [104]],
        ['same', [101]],
        ['written since', [20]],
      ]);
      expect(entries(await storage.sessions.load(neighbour.id))).toEqual([]);
    });

    it('are copies', async () => {
      const storage = await open();
      const { instance, lease } = await storeLeasedInstance(storage);
      const given = Uint8Array.of(1, 2, 3);
      await storage.sessions.save(lease, new Map([['creds', given]]));
      given.fill(9);
      const taken = await storage.sessions.load(instance.id);
      taken.get('creds')?.fill(8);
      expect(entries(await storage.sessions.load(instance.id))).toEqual([['creds', [1, 2, 3]]]);
    });
  });
}

function entries(
  session: ReadonlyMap<string, Uint8Array>,
): readonly (readonly [string, readonly number[]])[] {
  return [...session.keys()].toSorted().map((name) => [name, [...(session.get(name) ?? [])]]);
}
