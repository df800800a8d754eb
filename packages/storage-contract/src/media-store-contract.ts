import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MediaPage, MediaStore } from '@trunkline/core';
import { must } from '@trunkline/test-support';
import { bytesFrom, chunksOf, streamOf } from './media-content.ts';

/** The media store that the contract tests. */
export interface MediaStoreSubject {
  readonly name: string;
  /** Creates an empty place for one test's files. */
  createPlace(): Promise<MediaPlace>;
  /** The server behind the store responds to the range of the first byte, `0-0`, with the whole file. */
  readonly hasNoFirstByte?: true;
  /** The store has no `list`, because its place may hold other files. */
  readonly hasNoList?: true;
}

export interface MediaPlace {
  /** A new store on this place, as another process would create it. */
  connect(): MediaStore;
  /** The ids of all files that take up space in this place, complete or not. */
  kept(): Promise<readonly string[]>;
  /** Removes the place; called once. */
  dispose(): Promise<void>;
}

const ID = 'msg_01jgfjjv00fsnvdjzy0jcm5xh8';
const MIB = 1_048_576;
/** Slightly more than 12 MiB by default. `MEDIA_MB=100` tests the specification's largest file. */
const LARGE_BYTES = Number(process.env['MEDIA_MB'] ?? 12) * MIB + 12_345;

/** Defines the tests that every media store must pass. Call this function in a test file of the store's package. */
export function describeMediaStoreContract(subject: MediaStoreSubject): void {
  const open = async (): Promise<MediaPlace & { readonly store: MediaStore }> => {
    const place = await subject.createPlace();
    onTestFinished(() => place.dispose());
    return { ...place, store: place.connect() };
  };

  describe(`${subject.name} media store`, () => {
    describe('a file', () => {
      it('is kept until it is deleted', async () => {
        const { store, connect, kept } = await open();
        expect([await store.size(ID), await store.get(ID)]).toEqual([null, null]);
        expect(await store.put(ID, streamOf('Hello, ', 'wörld', ''))).toBe(13);
        expect(await store.size(ID)).toBe(13);
        expect(await textOf(await store.get(ID))).toBe('Hello, wörld');
        expect(await textOf(await connect().get(ID))).toBe('Hello, wörld');
        await store.delete(ID);
        expect([await store.size(ID), await store.get(ID)]).toEqual([null, null]);
        expect(await kept()).toEqual([]);
      });

      it('may be deleted again, and before it was ever there', async () => {
        const { store } = await open();
        await store.delete(ID);
        await store.put(ID, streamOf('x'));
        await store.delete(ID);
        await store.delete(ID);
        expect(await store.get(ID)).toBeNull();
      });

      it('may be empty', async () => {
        const { store } = await open();
        expect(await store.put(ID, streamOf())).toBe(0);
        expect(await store.size(ID)).toBe(0);
        expect(await textOf(await store.get(ID))).toBe('');
      });

      it('replaces one with the same id', async () => {
        const { store, kept } = await open();
        await store.put(ID, streamOf('the first, which is longer'));
        await store.put(ID, streamOf('the second'));
        expect(await store.size(ID)).toBe(10);
        expect(await textOf(await store.get(ID))).toBe('the second');
        expect(await kept()).toEqual([ID]);
      });

      it('is not visible before it is complete', async () => {
        const { store } = await open();
        const more = Promise.withResolvers<void>();
        const slow = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new Uint8Array(6 * MIB)),
          async pull(controller) {
            await more.promise;
            controller.close();
          },
        });
        const put = store.put(ID, slow);
        expect([await store.size(ID), await store.get(ID)]).toEqual([null, null]);
        more.resolve();
        expect(await put).toBe(6 * MIB);
        expect(await store.size(ID)).toBe(6 * MIB);
      });

      it('comes back byte for byte, however large', async () => {
        const { store } = await open();
        const sent = createHash('sha256');
        const content = chunksOf(LARGE_BYTES, 1, (chunk) => sent.update(chunk));
        expect(await store.put(ID, content)).toBe(LARGE_BYTES);
        expect(await store.size(ID)).toBe(LARGE_BYTES);
        const got = createHash('sha256');
        for await (const chunk of (await store.get(ID)) ?? []) got.update(chunk);
        expect(got.digest('hex')).toBe(sent.digest('hex'));
      });

      it.each([5, 10])('may be exactly %i MiB long, as the parts of some stores are', async (mib) => {
        const { store } = await open();
        expect(await store.put(ID, chunksOf(mib * MIB, 1))).toBe(mib * MIB);
        expect(await store.size(ID)).toBe(mib * MIB);
      });

      it('gives any range of itself', async () => {
        const { store } = await open();
        const content = bytesFrom(7, 200);
        await store.put(ID, streamOf(content));
        await fc.assert(
          fc.asyncProperty(fc.nat(199), fc.nat(199), async (a, b) => {
            const [start, end] = [Math.min(a, b), Math.max(a, b, subject.hasNoFirstByte ? 1 : 0)];
            const range = await new Response(await store.get(ID, { start, end })).bytes();
            expect(range).toEqual(content.slice(start, end + 1));
          }),
          { numRuns: 30, examples: [[0, 0]] },
        );
      });

      it('does not exist in a range either if it does not exist', async () => {
        const { store } = await open();
        expect(await store.get(ID, { start: 0, end: 3 })).toBeNull();
      });

      it('need not be read to its end', async () => {
        const { store } = await open();
        await store.put(ID, chunksOf(2 * MIB, 1));
        const unread = await store.get(ID);
        const begun = (await store.get(ID))?.getReader();
        expect((await begun?.read())?.done).toBe(false);
        await Promise.all([unread?.cancel(), begun?.cancel()]);
        expect(await store.size(ID)).toBe(2 * MIB);
      });
    });

    describe('twenty concurrent files', () => {
      it('do not mix', async () => {
        const { store, kept } = await open();
        const ids = Array.from({ length: 20 }, (_, index) => `${ID}_${index}`);
        await Promise.all(ids.map((id, index) => store.put(id, streamOf(bytesFrom(index, 300_000)))));
        const got = await Promise.all(ids.map(async (id) => new Response(await store.get(id)).bytes()));
        expect(got.map((bytes, index) => Buffer.from(bytes).equals(bytesFrom(index, 300_000)))).toEqual(
          ids.map(() => true),
        );
        expect((await kept()).toSorted()).toEqual(ids.toSorted());
      });
    });

    describe.skipIf(subject.hasNoList)('the list', () => {
      const walk = async (store: MediaStore, seen: (page: readonly string[]) => unknown): Promise<void> => {
        let after: string | null = null;
        do {
          const { ids, next }: MediaPage = await must(store.list)({ after, limit: 3 });
          expect(ids.length).toBeLessThanOrEqual(3);
          await seen(ids);
          after = next;
        } while (after !== null);
      };

      it('is empty at first', async () => {
        const { store } = await open();
        const listed: string[] = [];
        await walk(store, (ids) => listed.push(...ids));
        expect(listed).toEqual([]);
      });

      it.each([1, 3, 8])('has each of %i files once, a page at a time', async (count) => {
        const { store } = await open();
        const ids = Array.from(
          { length: count },
          (_, index) => `${ID.slice(0, -2)}${'aab0'[index % 4]}${index}`,
        );
        for (const id of ids) await store.put(id, streamOf('x'));
        const listed: string[] = [];
        await walk(store, (page) => listed.push(...page));
        expect(listed.toSorted()).toEqual(ids.toSorted());
      });

      it('misses none of the others when listed files are deleted meanwhile', async () => {
        const { store, kept } = await open();
        const ids = Array.from({ length: 8 }, (_, index) => `${ID.slice(0, -1)}${index % 3}_${index}`);
        for (const id of ids) await store.put(id, streamOf('x'));
        const listed: string[] = [];
        await walk(store, async (page) => {
          listed.push(...page);
          for (const id of page) await store.delete(id);
        });
        expect(listed.toSorted()).toEqual(ids.toSorted());
        expect(await kept()).toEqual([]);
      });
    });

    describe('what breaks off', () => {
      it.each([
        ['immediately', 0],
        ['half-way', 1_000],
        ['late', 11 * MIB],
      ])('%s leaves nothing, and rejects with its own error', async (_, bytes) => {
        const { store, kept } = await open();
        const broken = streamOf(new Uint8Array(bytes), new Error('connection reset'));
        await expect(store.put(ID, broken)).rejects.toThrow('connection reset');
        expect([await store.size(ID), await store.get(ID)]).toEqual([null, null]);
        expect(await kept()).toEqual([]);
      });

      it('may be stored again', async () => {
        const { store, kept } = await open();
        await expect(store.put(ID, streamOf('half', new Error('reset')))).rejects.toThrow('reset');
        await store.put(ID, streamOf('whole'));
        expect(await textOf(await store.get(ID))).toBe('whole');
        expect(await kept()).toEqual([ID]);
      });
    });

    it.each([
      '',
      'ab',
      '..',
      '../x',
      '/etc/passwd',
      'a/b',
      'a\\b',
      'a\0b',
      'a?b',
      'x'.repeat(65),
      `${ID}.part`,
    ])('refuses %j as an id', async (id) => {
      const { store, kept } = await open();
      await expect(store.put(id, streamOf('x'))).rejects.toThrow(TypeError);
      await expect(store.get(id)).rejects.toThrow(TypeError);
      await expect(store.size(id)).rejects.toThrow(TypeError);
      await expect(store.delete(id)).rejects.toThrow(TypeError);
      expect(await kept()).toEqual([]);
    });
  });
}

async function textOf(content: ReadableStream<Uint8Array> | null): Promise<string | null> {
  return content && new Response(content).text();
}
