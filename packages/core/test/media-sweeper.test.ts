import { describe, expect, it } from 'vitest';
import type { MediaStore } from '../src/index.ts';
import { memoryMediaStore, memoryStorage } from '../src/testing/index.ts';
import { passOnly, png, startMediaWorld } from './support/media.ts';
import { mortal } from './support/mortal.ts';
import { DAY, MINUTE, after, connectScripted, jumpAhead, only, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

/** A world that does nothing by itself but to tidy. */
async function idle(
  disturbed: (media: MediaStore) => MediaStore = (media) => media,
): Promise<{ readonly world: World; readonly media: ReturnType<typeof memoryMediaStore> }> {
  const media = memoryMediaStore();
  const world = await startWorld({ media: disturbed(media), roles: only('maintenance') });
  return { world, media };
}

describe('the media sweeper', () => {
  it('deletes an upload that nobody has sent after a day, and none that is younger', async () => {
    const { world, media } = await idle();
    await world.api.messages.upload(png().stream());
    await jumpAhead(world, DAY / 2);
    await world.api.messages.upload(png().stream());
    const [, younger] = media.ids();
    await jumpAhead(world, DAY / 2 - MINUTE);
    expect(media.ids()).toHaveLength(2);
    await world.clock.advance(3 * MINUTE);
    expect(media.ids()).toEqual([younger]);
  });

  it('leaves the files of messages, however old', async () => {
    const opened = await startMediaWorld();
    const { world, media, instance } = opened;
    const image = { instance, to: '34600000009', type: 'image', file: png() } as const;
    const { message } = await world.api.messages.send(image);
    const kept = media.ids();
    await passOnly(opened, 3 * DAY);
    expect([kept, media.ids()]).toEqual([[expect.any(String)], kept]);
    const { api } = await world.another({ roles: only('api') });
    expect(await api.messages.get(message.id)).toMatchObject({ media: { available: true } });
  });

  it('deletes the files of a deleted instance, and no others', async () => {
    const { world, media, instance } = await startMediaWorld();
    const other = await connectScripted(world);
    for (const id of [instance, instance, other])
      await world.api.messages.send({ instance: id, to: '34600000009', type: 'image', file: png() });
    const kept = media.ids()[2];
    await world.clock.settle();
    await after(world, MINUTE, world.api.instances.delete(instance));
    await world.clock.advance(2 * MINUTE);
    expect(media.ids()).toEqual([kept]);
    expect(await world.storage.uploads.listOrphaned(10)).toEqual([]);
  });

  it('takes up again what a process has begun that died between the bytes and the row', async () => {
    const storage = memoryStorage();
    const media = memoryMediaStore();
    const first = mortal(storage);
    const dying = {
      ...media,
      async delete(id: string) {
        if (first.isDead()) throw new Error('This process was killed.');
        await media.delete(id);
        first.kill();
      },
    };
    const world = await startWorld({ storage: first.storage, media: dying, roles: only('maintenance') });
    await world.api.messages.upload(png().stream());
    await world.api.messages.upload(png().stream());
    await jumpAhead(world, DAY + 2 * MINUTE);
    expect(media.ids()).toHaveLength(1);
    expect(await storage.uploads.listAbandoned(world.clock.now(), 10)).toHaveLength(2);
    await world.another({ storage, media, roles: only('maintenance') });
    await world.clock.advance(MINUTE);
    expect(media.ids()).toEqual([]);
    expect(await storage.uploads.listAbandoned(world.clock.now(), 10)).toEqual([]);
  });

  it('does not let one that cannot be deleted keep the others, and tries it again later', async () => {
    const stuck = new Set<string>();
    const { world, media } = await idle((store) => ({
      ...store,
      delete: (id) => (stuck.has(id) ? Promise.reject(new Error('EPERM')) : store.delete(id)),
    }));
    for (let i = 0; i < 3; i++) await world.api.messages.upload(png().stream());
    const [first = ''] = media.ids();
    stuck.add(first);
    await jumpAhead(world, DAY + 3 * MINUTE);
    expect(media.ids()).toEqual([first]);
    expect(world.logs).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'a stored file could not be deleted' }),
    );
    stuck.clear();
    await world.clock.advance(MINUTE);
    expect(media.ids()).toEqual([]);
  });

  it('deletes any number in one go', async () => {
    const { world, media } = await idle();
    for (let i = 0; i < 250; i++) await world.api.messages.upload(png().stream());
    await jumpAhead(world, DAY + 2 * MINUTE);
    expect(media.ids()).toEqual([]);
  });
});
