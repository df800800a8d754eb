import { describe, expect, it } from 'vitest';
import { STEP, connectInstance, connectScripted, sendText, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';

const NUMBER = { phoneNumber: '34911222333' };
const OTHER = { phoneNumber: '34911222444' };

async function linkAgain(
  { api, clock, sandbox }: Harness,
  id: string,
  profile: typeof NUMBER,
): Promise<void> {
  await api.instances.connect(id);
  await clock.advance(STEP);
  await sandbox.phone(id).scan(profile);
  await clock.settle();
}

async function inChoir() {
  const harness = await startHarness();
  const id = await connectInstance(harness, NUMBER);
  const networkId = await harness.sandbox.phone(id).addGroup({ name: 'Choir', participantsCount: 3 });
  const groups = (await harness.api.instances.groups(id)).data;
  const choir = groups.find(({ name }) => name === 'Choir')?.id ?? 'none';
  return { harness, id, networkId, groups, choir };
}

describe('groups', () => {
  it.each(['logout', 'unlink'] as const)(
    'keep their ids when the number is linked again after a %s',
    async (end) => {
      const { harness, id, groups, choir } = await inChoir();
      const { message } = await sendText(harness, id, choir);
      if (end === 'logout') await harness.api.instances.logout(id);
      else await harness.sandbox.phone(id).unlink();
      expect((await harness.api.instances.groups(id)).data).toEqual([]);
      await linkAgain(harness, id, NUMBER);
      expect((await harness.api.instances.groups(id)).data.map((group) => group.id)).toEqual(
        groups.map((group) => group.id),
      );
      expect((await harness.api.messages.get(message.id)).group_id).toBe(choir);
      expect((await sendText(harness, id, choir)).message).toMatchObject({
        status: 'queued',
        group_id: choir,
      });
    },
  );

  it('get no message through a gateway that declares none, even if it reported some', async () => {
    const gateway = { ...scriptedGateway(), capabilities: ['text'] } as const;
    const harness = await startHarness({ gateway });
    const id = await connectScripted(harness);
    await gateway.last().listener.groups([{ networkId: 'g1', name: 'Choir', participantsCount: 3 }]);
    const [choir] = (await harness.api.instances.groups(id)).data;
    await expect(sendText(harness, id, choir?.id)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
    await sendText(harness, id, '15550100');
    await harness.clock.settle();
    expect(gateway.sent().map(({ to }) => to)).toEqual(['15550100']);
  });

  it('do not pass from one linked number to the next', async () => {
    const { harness, id, groups, choir } = await inChoir();
    await harness.api.instances.logout(id);
    await linkAgain(harness, id, OTHER);
    const others = (await harness.api.instances.groups(id)).data;
    expect(others).toHaveLength(2);
    expect(others.filter((group) => groups.some((known) => known.id === group.id))).toEqual([]);
    await expect(sendText(harness, id, choir)).rejects.toMatchObject({
      code: 'GROUP_NOT_FOUND',
      status: 404,
    });
  });

  it('leave the list when the number leaves them, and their messages keep their id', async () => {
    const { harness, id, networkId, choir } = await inChoir();
    const { message } = await sendText(harness, id, choir);
    await harness.clock.advance(STEP);
    await harness.sandbox.phone(id).leaveGroup(networkId);
    expect((await harness.api.instances.groups(id)).data.map(({ name }) => name)).toEqual(['Family', 'Team']);
    await expect(sendText(harness, id, choir)).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
    expect((await harness.api.messages.get(message.id)).group_id).toBe(choir);
  });

  it('stay listed when the connection comes back', async () => {
    const { harness, id, groups } = await inChoir();
    await harness.sandbox.phone(id).drop();
    await harness.clock.advance(5_000);
    expect((await harness.api.instances.groups(id)).data.map((group) => group.id)).toEqual(
      groups.map((group) => group.id),
    );
  });
});
