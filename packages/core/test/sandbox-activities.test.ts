import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { OPT_IN_EVENT_TYPES } from '../src/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import type { SandboxPhone } from '../src/sandbox/index.ts';
import { memoryMediaStore } from '../src/testing/index.ts';
import { PNG } from './support/media.ts';
import { SECOND, connectInstance, sendText, startHarness, receivedEvents } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const ADA = '34600000009';
const EVE = '34600000666';

interface Phones {
  readonly harness: Harness;
  readonly id: string;
  readonly phone: SandboxPhone;
  /** Lets a second pass, and returns the types and data of all received events. */
  reported(): Promise<readonly object[]>;
}

async function phones(): Promise<Phones> {
  const harness = await startHarness({ media: memoryMediaStore() });
  await harness.api.webhooks.create({ url: 'https://hooks.example.com/', events: OPT_IN_EVENT_TYPES });
  const id = await connectInstance(harness);
  return {
    harness,
    id,
    phone: harness.sandbox.phone(id),
    async reported() {
      await harness.clock.advance(SECOND);
      return receivedEvents(harness).map(({ type, data }) => ({ type, ...data }));
    },
  };
}

describe('a phone of the sandbox', () => {
  it('scans each QR automatically with `scansQrs`', async () => {
    const sandbox = createSandbox({ scansQrs: true });
    const { api, clock } = await startHarness({ gateway: sandbox.gateway });
    const { id } = await api.instances.create();
    for (const _time of ['linked', 'linked again']) {
      await api.instances.connect(id);
      await clock.advance(SECOND);
      expect(await api.instances.get(id)).toMatchObject({ status: 'connected' });
      await sandbox.phone(id).unlink();
      await clock.settle();
      expect(await api.instances.get(id)).toMatchObject({ status: 'logged_out' });
    }
    const wrong = (): unknown => createSandbox({ scansQrs: 'yes' as unknown as boolean });
    expect(wrong).toThrow('createSandbox: scansQrs must be true or false, not "yes".');
    const unknown = (): unknown => createSandbox({ linkedBy: 'post' as 'phone' });
    expect(unknown).toThrow('createSandbox: linkedBy must be phone or credentials, not "post".');
  });

  it('has people react to messages, edit and delete theirs', async () => {
    const { harness, phone, reported } = await phones();
    const about = await phone.receive({ from: ADA, text: 'Helo' });
    await phone.react({ about, from: ADA, emoji: '👍' });
    await phone.react({ about, emoji: '❤️' });
    await phone.edit({ about, from: ADA, text: 'Hello' });
    await phone.delete({ about, from: ADA });
    const [{ id } = { id: '' }, ...more] = (await reported(), (await harness.api.messages.list()).data);
    expect(more).toEqual([]);
    expect(await reported()).toMatchObject([
      { type: 'message.reaction', message: { id, text: 'Helo' }, reaction: { emoji: '👍', own: false } },
      { type: 'message.reaction', message: { id }, reaction: { emoji: '❤️', own: true, contact: null } },
      { type: 'message.edited', message: { id, text: 'Hello' }, edit: { own: false } },
      { type: 'message.deleted', message: { id, text: null }, deletion: { own: false } },
    ]);
  });

  it('has strangers attempt forbidden changes', async () => {
    const { harness, id, phone, reported } = await phones();
    const about = await phone.receive({ from: ADA, text: 'mine' });
    await harness.clock.advance(SECOND);
    await sendText(harness, id, ADA, 'ours');
    await harness.clock.advance(SECOND);
    const ours = phone.accepted()[0]?.networkId ?? '';
    for (const message of [about, ours]) {
      await phone.edit({ about: message, from: EVE, text: 'forged' });
      await phone.delete({ about: message, from: EVE });
      await phone.react({ about: message, from: EVE, emoji: '👎' });
    }
    await phone.edit({ about: ours, from: ADA, text: 'forged' });
    await phone.delete({ about: ours, from: ADA });
    await phone.edit({ about, text: 'forged by the owner' });
    expect(await reported()).toEqual([]);
    expect((await harness.api.messages.list()).data).toMatchObject([{ text: 'ours' }, { text: 'mine' }]);
  });

  it('has people who hide their numbers do the same', async () => {
    const { phone, reported } = await phones();
    const about = await phone.receive({
      from: null,
      sender: { networkId: 'lid-1', name: 'Ada' },
      text: 'Guess who',
    });
    await phone.edit({ about, from: 'lid-2', text: 'forged' });
    await phone.edit({ about, from: 'lid-1', text: 'It is me' });
    expect(await reported()).toMatchObject([
      {
        type: 'message.edited',
        message: { from: null, text: 'It is me' },
        edit: { contact: { name: 'Ada', phone_number: null }, own: false },
      },
    ]);
  });

  it('writes by itself, to people and groups, and gets receipts', async () => {
    const { harness, phone, reported } = await phones();
    const groupNetworkId = await phone.addGroup({ name: 'Choir', participantsCount: 3 });
    await phone.write({ to: ADA, text: 'On my way' });
    await phone.write({
      groupNetworkId,
      text: 'Look',
      file: { type: 'image', content: PNG, filename: 'me.png' },
    });
    const expected = [
      { type: 'message.echo', message: { to: ADA, text: 'On my way', origin: 'device', status: 'sent' } },
      {
        type: 'message.echo',
        message: { to: null, type: 'image', caption: 'Look', media: { available: true } },
      },
    ];
    // The library that detects file types is loaded when the first file arrives.
    await eventually(async () => expect(await reported()).toMatchObject(expected));
    await eventually(async () =>
      expect((await harness.api.messages.list({ origin: 'device' })).data).toMatchObject([
        { status: 'read' },
        { status: 'read' },
      ]),
    );
  });

  it('is called, and gets messages that only it can show', async () => {
    const { harness, id, phone, reported } = await phones();
    await phone.call({ from: ADA, video: true });
    await phone.receiveUndecryptable({ from: ADA });
    expect(await reported()).toMatchObject([
      { type: 'call.received', call: { instance_id: id, contact: { phone_number: ADA }, video: true } },
      {
        type: 'message.undecryptable',
        undecryptable: { instance_id: id, contact: { phone_number: ADA }, reason: 'view_once' },
      },
    ]);
    expect((await harness.api.messages.list()).data).toEqual([]);
  });

  it('reports again what the service could not store', async () => {
    const { harness, phone, reported } = await phones();
    const { activities } = harness.storage;
    const record = activities.record.bind(activities);
    activities.record = () => Promise.reject(new Error('disk full'));
    await phone.call({ from: ADA });
    expect(await reported()).toEqual([]);
    activities.record = record;
    await harness.clock.advance(SECOND);
    expect(await reported()).toMatchObject([{ type: 'call.received' }]);
  });

  it('says what is wrong about a message that the network does not know', async () => {
    const { harness, id, phone } = await phones();
    await expect(phone.react({ about: 'IN404', emoji: '👍' })).rejects.toMatchObject({
      code: 'INVALID_INSTANCE_STATE',
      message: expect.stringContaining('knows no such message'),
    });
    await harness.api.instances.disconnect(id).catch(() => undefined);
  });
});
