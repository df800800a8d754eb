import { describe, expect, it } from 'vitest';
import { STEP, connectInstance, sendText, startWorld } from './support/world.ts';
import type { World } from './support/world.ts';

const NUMBER = { phoneNumber: '34911222333' };
const OTHER = { phoneNumber: '34911222444' };

/** Links a number to an instance that was unlinked. */
async function linkAgain({ api, clock, sandbox }: World, id: string, profile: typeof NUMBER): Promise<void> {
  await api.instances.connect(id);
  await clock.advance(STEP);
  await sandbox.phone(id).scan(profile);
  await clock.settle();
}

async function inChoir() {
  const world = await startWorld();
  const id = await connectInstance(world, NUMBER);
  const networkId = await world.sandbox.phone(id).addGroup({ name: 'Choir', participantsCount: 3 });
  const groups = await world.api.instances.groups(id);
  const choir = groups.find(({ name }) => name === 'Choir')?.id ?? 'none';
  return { world, id, networkId, groups, choir };
}

describe('groups', () => {
  it.each(['logout', 'unlink'] as const)(
    'keep their ids when the number is linked again after a %s',
    async (end) => {
      const { world, id, groups, choir } = await inChoir();
      const { message } = await sendText(world, id, choir);
      if (end === 'logout') await world.api.instances.logout(id);
      else await world.sandbox.phone(id).unlink();
      expect(await world.api.instances.groups(id)).toEqual([]);
      await linkAgain(world, id, NUMBER);
      expect((await world.api.instances.groups(id)).map((group) => group.id)).toEqual(
        groups.map((group) => group.id),
      );
      expect((await world.api.messages.get(message.id)).group_id).toBe(choir);
      expect((await sendText(world, id, choir)).message).toMatchObject({ status: 'queued', group_id: choir });
    },
  );

  it('of another number are not those of the one that was linked before', async () => {
    const { world, id, groups, choir } = await inChoir();
    await world.api.instances.logout(id);
    await linkAgain(world, id, OTHER);
    const others = await world.api.instances.groups(id);
    expect(others).toHaveLength(2);
    expect(others.filter((group) => groups.some((known) => known.id === group.id))).toEqual([]);
    await expect(sendText(world, id, choir)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND', status: 404 });
  });

  it('leave the list when the number leaves them, and their messages keep their id', async () => {
    const { world, id, networkId, choir } = await inChoir();
    const { message } = await sendText(world, id, choir);
    await world.clock.advance(STEP);
    await world.sandbox.phone(id).leaveGroup(networkId);
    expect((await world.api.instances.groups(id)).map(({ name }) => name)).toEqual(['Family', 'Team']);
    await expect(sendText(world, id, choir)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
    expect((await world.api.messages.get(message.id)).group_id).toBe(choir);
  });

  it('stay listed when the connection comes back', async () => {
    const { world, id, groups } = await inChoir();
    await world.sandbox.phone(id).drop();
    await world.clock.advance(5_000);
    expect((await world.api.instances.groups(id)).map((group) => group.id)).toEqual(
      groups.map((group) => group.id),
    );
  });
});
