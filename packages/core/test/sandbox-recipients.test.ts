import { describe, expect, it } from 'vitest';
import { createSandbox } from '../src/sandbox/index.ts';
import type { NetworkRecord } from '../src/sandbox/index.ts';
import {
  SECOND,
  STEP,
  connectInstance,
  listen,
  only,
  sendText,
  startHarness,
  receivedEvents,
  receivedTypes,
} from './support/harness.ts';

const messageEvents = (types: readonly string[]) => types.filter((type) => type.startsWith('message.'));

describe('a message to a sandbox number that ends in', () => {
  it.each([
    ['0009', 'read', ['message.sent', 'message.delivered', 'message.read']],
    ['0001', 'sent', ['message.sent']],
    ['0002', 'read', ['message.sent', 'message.delivered', 'message.read']],
    ['0003', 'failed', ['message.failed']],
  ])('%s ends as %s', async (ending, status, events) => {
    const harness = await startHarness();
    await listen(harness);
    const { message } = await sendText(harness, await connectInstance(harness), `3460000${ending}`);
    await harness.clock.advance(20 * SECOND);

    expect(await harness.api.messages.get(message.id)).toMatchObject({ status });
    expect(messageEvents(receivedTypes(harness))).toEqual(events);
  });

  it('0002 has its skipped receipt at the time of the reading, the message reported as it stood', async () => {
    const harness = await startHarness();
    await listen(harness);
    const { message } = await sendText(harness, await connectInstance(harness), '34600000002');
    await harness.clock.advance(SECOND);

    const { delivered_at, read_at } = await harness.api.messages.get(message.id);
    expect(delivered_at).toBe(read_at);
    const [, delivered, read] = receivedEvents(harness).filter(({ type }) => type.startsWith('message.'));
    expect(delivered?.data).toMatchObject({ message: { status: 'delivered', delivered_at, read_at: null } });
    expect(read?.data).toMatchObject({ message: { status: 'read', delivered_at, read_at } });
  });

  it('0003 says why it failed', async () => {
    const harness = await startHarness();
    const { message } = await sendText(harness, await connectInstance(harness), '34600000003');
    await harness.clock.advance(STEP);
    expect(await harness.api.messages.get(message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'recipient_refused' },
      failed_at: '2026-01-01T00:00:00.050+00:00',
      sent_at: null,
    });
  });

  it('0004 is tried five times and fails for want of a response', async () => {
    const harness = await startHarness();
    const { message } = await sendText(harness, await connectInstance(harness), '34600000004');
    await harness.clock.advance(20 * SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'send_outcome_unknown' },
    });
  });

  it('0005 gets the same text in reply', async () => {
    const harness = await startHarness();
    await listen(harness);
    const id = await connectInstance(harness, { phoneNumber: '34911222333' });
    await sendText(harness, id, '34600000005', 'Anybody there?');
    await harness.clock.advance(SECOND);

    const { data } = await harness.api.messages.list({ direction: 'inbound' });
    expect(data).toMatchObject([
      {
        status: 'received',
        from: '34600000005',
        to: '34911222333',
        text: 'Anybody there?',
        group_id: null,
        queued_at: null,
      },
    ]);
    expect(receivedTypes(harness)).toContain('message.received');
  });
});

describe('the sandbox phone', () => {
  it('can do only what a phone could do now', async () => {
    const harness = await startHarness();
    const { id } = await harness.api.instances.create();
    const phone = harness.sandbox.phone(id);
    const cannot = { code: 'INVALID_INSTANCE_STATE', status: 409 };
    const group = { name: 'Choir', participantsCount: 3 };
    const acts = [
      () => phone.scan(),
      () => phone.receive({ from: '34600000009', text: 'Hi' }),
      () => phone.addGroup(group),
      async () => phone.drop(),
      () => phone.unlink(),
      async () => phone.fail(),
    ];
    for (const act of acts) await expect(act()).rejects.toMatchObject(cannot);

    await connectInstance(harness);
    await expect(phone.scan()).rejects.toMatchObject(cannot);
  });

  it('is in two groups once it is linked, and can be added to more', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await harness.sandbox.phone(id).addGroup({ name: 'Choir', participantsCount: 3 });
    const groups = (await harness.api.instances.groups(id)).data;
    expect(groups.map(({ name, participants_count }) => [name, participants_count])).toEqual([
      ['Choir', 3],
      ['Family', 5],
      ['Team', 12],
    ]);
  });
});

describe('a sandbox network with a journal', () => {
  it('outlives the process: numbers stay linked, and pending messages are delivered', async () => {
    const records: NetworkRecord[] = [];
    const journal = { load: () => records, append: (record: NetworkRecord) => void records.push(record) };
    const harness = await startHarness({ roles: only('api') });
    const before = createSandbox({ journal });
    const { trunkline } = await harness.another({ roles: only('gateway'), gateway: before.gateway });
    const id = await connectInstance({ ...harness, sandbox: before });
    const { message } = await sendText(harness, id);
    await harness.clock.advance(STEP);
    await before.phone(id).receive({ from: '34600000009', text: 'Hi' });
    await trunkline.stop();
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent' });

    const after = createSandbox({ journal });
    await harness.another({ roles: only('gateway'), gateway: after.gateway });
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect((await harness.api.messages.list({ direction: 'inbound' })).data).toMatchObject([{ text: 'Hi' }]);
    expect(after.phone(id).accepted()).toHaveLength(1);
  });
});
