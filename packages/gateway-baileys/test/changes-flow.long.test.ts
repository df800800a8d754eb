import type { SentMessage } from '@trunkline/fake-whatsapp';
import { describe, expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { must, startLinkedFlow, untilMessage, untilStatus, untilNotified } from './support/flow.ts';
import type { Flow } from './support/flow.ts';

async function send({ service, instance }: Flow, to: string, text: string): Promise<string> {
  return must(await service().client.messages.send({ instance, to, type: 'text', text })).id;
}

async function inAGroup(flow: Flow) {
  const { wa, account, bob, instance, service } = flow;
  const group = wa.group({ subject: 'Neighbours', members: [bob] });
  wa.addToGroup(group, account);
  const id = await eventually(async () => {
    const [found] = must(await service().client.instances.groups(instance));
    if (!found) throw new Error('The group is not listed.');
    return found.id;
  });
  /** Returns the people whose phones can read the text. */
  const readersOf = async (text: string): Promise<readonly string[]> => {
    await send(flow, id, text);
    return (await wa.nextMessage()).readableBy.toSorted();
  };
  return { id, group, readersOf };
}

describe('a group that the number is removed from', () => {
  it('leaves the list, and comes back under its id', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, service, instance } = flow;
    const { id, group } = await inAGroup(flow);
    const listed = async (): Promise<readonly string[]> =>
      must(await service().client.instances.groups(instance)).map((one) => one.id);
    wa.removeFromGroup(group, account);
    await eventually(async () => expect(await listed()).toEqual([]));
    wa.addToGroup(group, account);
    await eventually(async () => expect(await listed()).toEqual([id]));
  });
});

describe('a group whose members change', () => {
  it('is written to with its current members', async () => {
    const flow = await startLinkedFlow();
    const { wa, bob } = flow;
    const eve = wa.person('5511900000042', { name: 'Eve' });
    const { group, readersOf } = await inAGroup(flow);
    expect(await readersOf('two of us')).toEqual([bob.phoneNumber]);
    wa.addToGroup(group, eve);
    await eventually(async () => expect(await membersOf(flow)).toBe(3));
    expect(await readersOf('three of us')).toEqual([eve.phoneNumber, bob.phoneNumber].toSorted());
    wa.removeFromGroup(group, eve);
    await eventually(async () => expect(await membersOf(flow)).toBe(2));
    expect(await readersOf('two again')).toEqual([bob.phoneNumber]);
  });

  it('is so after changes during a disconnection', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob } = flow;
    const eve = wa.person('5511900000042', { name: 'Eve' });
    const { group, readersOf } = await inAGroup(flow);
    wa.addToGroup(group, eve);
    await eventually(async () => expect(await membersOf(flow)).toBe(3));
    expect(await readersOf('three of us')).toContain(eve.phoneNumber);
    await flow.restart(async () => wa.removeFromGroup(group, eve));
    await eventually(async () => expect(await membersOf(flow)).toBe(2));
    await untilStatus(flow, 'connected');
    expect(await readersOf('two again')).toEqual([bob.phoneNumber]);
    expect(wa.linkedDevices(account)).toHaveLength(1);
  });

  it('is so for messages queued meanwhile, which are sent once the connection is back', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob } = flow;
    const eve = wa.person('5511900000042', { name: 'Eve' });
    const { id, group, readersOf } = await inAGroup(flow);
    wa.addToGroup(group, eve);
    await eventually(async () => expect(await membersOf(flow)).toBe(3));
    expect(await readersOf('three of us')).toContain(eve.phoneNumber);
    wa.holdAcks();
    await send(flow, bob.phoneNumber, 'on its way');
    await wa.nextMessage();
    await send(flow, id, 'for the two of us');
    wa.drop(account);
    wa.removeFromGroup(group, eve);
    wa.releaseAcks();
    const sentAs = (text: string): SentMessage => {
      const found = wa.sentMessages().find(({ content }) => content.type === 'text' && content.text === text);
      if (!found) throw new Error('The message is not sent yet.');
      return found;
    };
    const { readableBy } = await eventually(() => sentAs('for the two of us'));
    expect(readableBy).toEqual([bob.phoneNumber]);
  });

  it('refuses messages sent after we were removed', async () => {
    const flow = await startLinkedFlow();
    const { wa, account } = flow;
    const { id, group } = await inAGroup(flow);
    wa.removeFromGroup(group, account);
    const message = { instance: flow.instance, to: id, type: 'text', text: 'Why?' } as const;
    const sent = await flow.service().client.messages.send(message);
    // The instance may not know of its removal yet.
    const error = sent.ok ? (await untilMessage(flow, sent.data.id, 'failed')).error : sent.error;
    expect(error).toMatchObject({ code: sent.ok ? 'group_unknown' : 'GROUP_NOT_FOUND' });
  });

  async function membersOf({ service, instance }: Flow): Promise<number | null | undefined> {
    return must(await service().client.instances.groups(instance))[0]?.participants_count;
  }
});

it('an instance that is unlinked while it sends fails its messages in flight, and reports that', async () => {
  const flow = await startLinkedFlow();
  const { wa, account, bob, service, instance } = flow;
  wa.holdAcks();
  const first = await send(flow, bob.phoneNumber, 'on its way');
  const second = await send(flow, bob.phoneNumber, 'in the queue');
  await wa.nextMessage();
  wa.unlink(account);
  await untilStatus(flow, 'logged_out');
  for (const id of [first, second]) {
    const { error } = await untilMessage(flow, id, 'failed');
    expect(error).toEqual({ code: expect.any(String), message: expect.any(String) });
    await untilNotified(flow, 'message.failed', ({ data }) => 'message' in data && data.message.id === id);
  }
  const refused = await service().client.messages.send({
    instance,
    to: bob.phoneNumber,
    type: 'text',
    text: 'x',
  });
  expect(refused).toMatchObject({ ok: false });
});
