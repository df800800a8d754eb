import { describe, expect, it } from 'vitest';
import { must } from '@trunkline/test-support';
import type { MediaStore } from '../src/index.ts';
import { memoryMediaStore } from '../src/testing/index.ts';
import { passOnly, png, startMediaHarness } from './support/media.ts';
import { killable } from './support/killable.ts';
import { DAY, MINUTE, after, connectScripted, jumpAhead, only, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

async function idle(
  disturbed: (media: MediaStore) => MediaStore = (media) => media,
): Promise<{ readonly harness: Harness; readonly media: ReturnType<typeof memoryMediaStore> }> {
  const media = memoryMediaStore();
  const harness = await startHarness({ media: disturbed(media), roles: only('maintenance') });
  return { harness, media };
}

describe('the media sweeper', () => {
  it('deletes an unsent upload after a day, and no younger one', async () => {
    const { harness, media } = await idle();
    await harness.api.messages.upload(png().stream());
    await jumpAhead(harness, DAY / 2);
    await harness.api.messages.upload(png().stream());
    const [, younger] = media.ids();
    await jumpAhead(harness, DAY / 2 - MINUTE);
    expect(media.ids()).toHaveLength(2);
    await harness.clock.advance(3 * MINUTE);
    expect(media.ids()).toEqual([younger]);
  });

  it('leaves the files of messages, however old', async () => {
    const opened = await startMediaHarness();
    const { harness, media, instance } = opened;
    const image = { instance, to: '34600000009', type: 'image', file: png() } as const;
    const { message } = await harness.api.messages.send(image);
    const kept = media.ids();
    await passOnly(opened, 3 * DAY);
    expect([kept, media.ids()]).toEqual([[expect.any(String)], kept]);
    const { api } = await harness.another({ roles: only('api') });
    expect(await api.messages.get(message.id)).toMatchObject({ media: { available: true } });
  });

  it('deletes the files of a deleted instance, and no others', async () => {
    const { harness, media, instance } = await startMediaHarness();
    const other = await connectScripted(harness);
    for (const id of [instance, instance, other])
      await harness.api.messages.send({ instance: id, to: '34600000009', type: 'image', file: png() });
    const kept = media.ids()[2];
    await harness.clock.settle();
    await after(harness, MINUTE, harness.api.instances.delete(instance));
    await harness.clock.advance(2 * MINUTE);
    expect(media.ids()).toEqual([kept]);
    expect(await harness.storage.uploads.listOrphaned(10)).toEqual([]);
  });

  it('takes up again what a process has begun that died between the bytes and the row', async () => {
    const storage = memoryStorage();
    const media = memoryMediaStore();
    const first = killable(storage);
    const dying = {
      ...media,
      async delete(id: string) {
        if (first.isDead()) throw new Error('This process was killed.');
        await media.delete(id);
        first.kill();
      },
    };
    const harness = await startHarness({ storage: first.storage, media: dying, roles: only('maintenance') });
    await harness.api.messages.upload(png().stream());
    await harness.api.messages.upload(png().stream());
    await jumpAhead(harness, DAY + 2 * MINUTE);
    expect(media.ids()).toHaveLength(1);
    expect(await storage.uploads.listAbandoned(harness.clock.now(), 10)).toHaveLength(2);
    await harness.another({ storage, media, roles: only('maintenance') });
    await harness.clock.advance(MINUTE);
    expect(media.ids()).toEqual([]);
    expect(await storage.uploads.listAbandoned(harness.clock.now(), 10)).toEqual([]);
  });

  it('deletes files that the database does not name a day after they were found, and says so', async () => {
    const media = memoryMediaStore();
    const [unknown, other] = ['upl_01jgfjjv00fsnvdjzy0jcm5xh8', 'a_file_of_somebody'];
    for (const id of [unknown, other]) await media.put(id, png().stream());
    const harness = await startHarness({ media, roles: only('maintenance') });
    await jumpAhead(harness, DAY - MINUTE);
    expect(media.ids()).toEqual([unknown, other]);
    await harness.clock.advance(3 * MINUTE);
    expect(media.ids()).toEqual([other]);
    expect(harness.logs.filter(({ message }) => message.includes('does not name'))).toMatchObject([
      { level: 'warn', facts: { count: 1 } },
    ]);
  });

  it('looks for such files a page a minute', async () => {
    const media = memoryMediaStore();
    const ids = Array.from({ length: 501 }, (_, index) => `upl_01jgfjjv00fsnvdjzy0jc00${100 + index}`);
    for (const id of ids) await media.put(id, png().stream());
    const pages: (string | null)[] = [];
    const harness = await startHarness({
      roles: only('maintenance'),
      media: {
        ...media,
        list: async (request) => {
          pages.push(request.after);
          return must(media.list)(request);
        },
      },
    });
    await harness.clock.settle();
    expect(pages).toEqual([null]);
    await harness.clock.advance(5 * MINUTE);
    expect(pages).toEqual([null, ids[499]]);
    expect(await harness.storage.uploads.listAbandoned(harness.clock.now(), 1_000)).toHaveLength(501);
  });

  it('deletes the others if one cannot be deleted, which it tries again later', async () => {
    const stuck = new Set<string>();
    const { harness, media } = await idle((store) => ({
      ...store,
      delete: (id) => (stuck.has(id) ? Promise.reject(new Error('EPERM')) : store.delete(id)),
    }));
    for (let i = 0; i < 3; i++) await harness.api.messages.upload(png().stream());
    const [first = ''] = media.ids();
    stuck.add(first);
    await jumpAhead(harness, DAY + 3 * MINUTE);
    expect(media.ids()).toEqual([first]);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('could not be deleted: it is tried again later'),
      }),
    );
    stuck.clear();
    await harness.clock.advance(MINUTE);
    expect(media.ids()).toEqual([]);
  });

  it('deletes the others even if more than a hundred cannot be deleted', async () => {
    const stuck = new Set<string>();
    const { harness, media } = await idle((store) => ({
      ...store,
      delete: (id) => (stuck.has(id) ? Promise.reject(new Error('EPERM')) : store.delete(id)),
    }));
    for (let i = 0; i < 230; i++) await harness.api.messages.upload(png().stream());
    const first = media.ids().slice(0, 120);
    for (const id of first) stuck.add(id);
    await jumpAhead(harness, DAY + 10 * MINUTE);
    expect(media.ids()).toEqual(first);
    stuck.clear();
    await harness.clock.advance(5 * MINUTE);
    expect(media.ids()).toEqual([]);
  });

  it('deletes any number in one go', async () => {
    const { harness, media } = await idle();
    for (let i = 0; i < 250; i++) await harness.api.messages.upload(png().stream());
    await jumpAhead(harness, DAY + 2 * MINUTE);
    expect(media.ids()).toEqual([]);
  });
});
