import { OPT_IN_EVENT_TYPES } from '@trunkline/core';
import type { MessageResource } from '@trunkline/core';
import type { FakeWhatsApp } from '@trunkline/fake-whatsapp';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { must, reportedAbout, startLinkedFlow, untilMessage, untilNotified } from './support/flow.ts';
import type { Flow } from './support/flow.ts';

/** Waits until there are `count` inbound messages. Returns them, oldest first. */
function received({ service }: Flow, count = 1): Promise<readonly MessageResource[]> {
  return eventually(async () => {
    const page = await service().client.messages.list({ direction: 'inbound' });
    if (!page.ok) throw new Error(page.error.code);
    expect(page.data).toHaveLength(count);
    return page.data.toReversed();
  });
}

async function firstReceived(flow: Flow): Promise<MessageResource> {
  const [first] = await received(flow);
  if (!first) throw new Error('Nothing was received.');
  return first;
}

type PersonOptions = Parameters<FakeWhatsApp['person']>[1];

const EVERY = { optInEvents: OPT_IN_EVENT_TYPES };

describe('a message over the REST API', () => {
  it('says who wrote it and when, whatever the network calls that person', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob } = flow;
    const sentAt = Date.UTC(2026, 10, 22, 9, 30);
    const id = await wa.inbound(bob, account, 'by LID', { sentAt });
    const message = await firstReceived(flow);
    expect(message).toMatchObject({
      from: bob.phoneNumber,
      contact: {
        id: expect.stringMatching(/^con_/),
        name: 'Bob',
        phone_number: bob.phoneNumber,
        username: null,
      },
      sent_at: '2026-11-22T09:30:00.000+00:00',
      kind: 'text',
      payload: null,
      reply_to: null,
      origin: null,
    });
    // A repeat that names the sender by number.
    await wa.inbound(bob, account, 'by LID', { id, addressing: 'pn' });
    await wa.inbound(bob, account, 'by number', { addressing: 'pn' });
    const [, second] = await received(flow, 2);
    expect(second).toMatchObject({ text: 'by number', contact: { id: message.contact?.id } });
  });

  it.runIf(isLongForm)(
    'brings locations, contacts and answers to buttons, in words and in fields',
    async () => {
      const flow = await startLinkedFlow();
      const { wa, account, bob } = flow;
      const location = { degreesLatitude: 40.41, degreesLongitude: -3.7, name: 'Plaza Mayor' };
      await wa.inbound(bob, account, { type: 'raw', message: { locationMessage: location } });
      const answer = { selectedButtonId: 'yes', selectedDisplayText: 'Yes please' };
      await wa.inbound(bob, account, { type: 'raw', message: { buttonsResponseMessage: answer } });
      expect(await received(flow, 2)).toMatchObject([
        {
          type: 'text',
          text: 'Location: Plaza Mayor, 40.41,-3.70',
          kind: 'location',
          payload: { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: null },
        },
        {
          type: 'text',
          text: 'Yes please',
          kind: 'button_reply',
          payload: { id: 'yes', title: 'Yes please' },
        },
      ]);
      const { data } = await untilNotified(
        flow,
        'message.received',
        (event) => 'message' in event.data && event.data.message.kind === 'location',
      );
      expect(data).toMatchObject({ message: { payload: { latitude: 40.41 } } });
    },
  );

  it('is one chat with a person whose number is registered without the digit that was dialled', async () => {
    const flow = await startLinkedFlow(EVERY);
    const { wa, account, instance, service } = flow;
    const [dialled, registered] = ['5547988880001', '554788880001'];
    const eva = wa.person(registered, { name: 'Eva' });
    wa.dialAs(dialled, eva);
    const { client } = service();
    const { id } = must(await client.messages.send({ instance, to: dialled, type: 'text', text: 'Hello' }));
    const sent = await wa.nextMessage();
    expect(await untilMessage(flow, id, 'sent')).toMatchObject({ to: dialled });
    await wa.inbound(eva, account, {
      type: 'reply',
      text: 'Yes',
      to: { id: sent.id, author: account.lidJid ?? '' },
    });
    const about = { remoteJid: account.lidJid, id: sent.id, fromMe: false };
    await wa.inbound(eva, account, { type: 'reaction', text: '👍', to: about });
    const { data } = await untilNotified(flow, 'message.reaction');
    expect(data).toMatchObject({ message: { id }, reaction: { contact: { phone_number: registered } } });
    const reply = await firstReceived(flow);
    expect(reply).toMatchObject({ from: registered, reply_to: id });

    const answers = [dialled, registered].map(async (to) => {
      const answer = { instance, to, type: 'text', text: 'Fine.', reply_to: reply.id } as const;
      return must(await client.messages.send(answer));
    });
    expect(await Promise.all(answers)).toMatchObject([{ to: dialled }, { to: registered }]);
    const chats = await client.instances.chats(instance);
    expect(chats.ok && chats.data).toMatchObject([{ phone_number: registered, name: 'Eva' }]);
    for (const counterpart of [dialled, registered]) {
      const page = await client.messages.list({ instance, counterpart });
      expect(page.ok && page.data.map(({ text }) => text)).toEqual(['Fine.', 'Fine.', 'Yes', 'Hello']);
    }
  });

  it('replies to a person whose number is hidden, and gets a reply', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, instance, service } = flow;
    const ann = wa.person('5511955550021', { name: 'Ann', username: 'ann.a', hidesNumber: true });
    const networkId = await wa.inbound(ann, account, 'Which one?');
    const question = await firstReceived(flow);
    expect(question).toMatchObject({ from: null, contact: { phone_number: null, username: 'ann.a' } });
    const { client } = service();
    const to = question.contact?.id ?? '';
    const reply = { instance, to, type: 'text', text: 'The red one.', reply_to: question.id } as const;
    const { id } = must(await client.messages.send(reply));
    const sent = await wa.nextMessage();
    expect(sent).toMatchObject({
      to: ann.lidJid,
      content: { text: 'The red one.' },
      quotes: { id: networkId, author: ann.lidJid, text: 'Which one?' },
    });
    expect(await untilMessage(flow, id, 'sent')).toMatchObject({
      to: null,
      contact: { id: to },
      reply_to: question.id,
    });
    const thanks = { id: sent.id, author: account.lidJid ?? '' };
    await wa.inbound(ann, account, { type: 'reply', text: 'Thanks!', to: thanks });
    expect((await received(flow, 2))[1]).toMatchObject({ text: 'Thanks!', reply_to: id });
  });

  it.runIf(isLongForm)('carries voice messages both ways', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob, instance, service } = flow;
    const bytes = new Uint8Array(3_000).fill(7);
    // An Ogg page that, at byte 28, names Opus as its codec.
    bytes.set(Buffer.from('OggS\0\x02'));
    bytes.fill(0, 6, 28);
    bytes[26] = 1;
    bytes[27] = 19;
    bytes.set(Buffer.from('OpusHead\x01\x01'), 28);
    const mimeType = 'audio/ogg; codecs=opus';
    await wa.inbound(bob, account, { type: 'audio', mimeType, bytes, voiceNote: true });
    expect(await firstReceived(flow)).toMatchObject({ type: 'audio', kind: 'voice' });
    const file = new Blob([bytes]);
    const voice = {
      instance,
      to: bob.phoneNumber,
      type: 'audio',
      file,
      filename: 'a.ogg',
      voice: true,
    } as const;
    expect(must(await service().client.messages.send(voice))).toMatchObject({ kind: 'voice' });
    expect((await wa.nextMessage()).content).toMatchObject({ type: 'audio', mimeType, voice: {} });
  });
});

describe('what else happens in a chat, over webhooks', () => {
  it('is what the owner writes on the phone, and its receipts', async () => {
    const flow = await startLinkedFlow(EVERY);
    const { wa, account, bob, receiver } = flow;
    const networkId = await wa.fromPhone(account, bob, 'typed by hand');
    const { data } = await untilNotified(flow, 'message.echo');
    if (!('message' in data)) throw new Error('The event is not about a message.');
    const { id } = data.message;
    expect(data.message).toMatchObject({
      direction: 'outbound',
      origin: 'device',
      status: 'sent',
      text: 'typed by hand',
      to: bob.phoneNumber,
      contact: { phone_number: bob.phoneNumber },
    });
    wa.receipt(account, { by: bob, type: 'read', ids: [networkId] });
    await untilMessage(flow, id, 'read');
    await wa.inbound(bob, account, 'last');
    await received(flow);
    expect(reportedAbout(flow, id)).toEqual(['message.echo']);
    expect(receiver.forged()).toBe(0);
  });

  it.runIf(isLongForm)('is an edit and a deletion by the author, and by nobody else', async () => {
    const flow = await startLinkedFlow(EVERY);
    const { wa, account, bob, service } = flow;
    const eve = wa.person('5511955550022', { name: 'Eve' });
    const networkId = await wa.inbound(bob, account, 'helo');
    const { id } = await firstReceived(flow);
    await wa.inbound(eve, account, { type: 'edit', id: networkId, text: 'Send money' });
    await wa.inbound(eve, account, { type: 'delete', id: networkId });
    await wa.inbound(bob, account, { type: 'edit', id: networkId, text: 'hello' });
    expect((await untilNotified(flow, 'message.edited')).data).toMatchObject({
      message: { id, text: 'hello', edited_at: expect.any(String) },
      edit: { own: false, contact: { name: 'Bob' } },
    });
    expect(must(await service().client.messages.get(id))).toMatchObject({ text: 'hello', deleted_at: null });
    await wa.inbound(bob, account, { type: 'delete', id: networkId });
    expect((await untilNotified(flow, 'message.deleted')).data).toMatchObject({
      message: { id, text: null, deleted_at: expect.any(String) },
      deletion: { own: false, contact: { name: 'Bob' } },
    });
    expect(reportedAbout(flow, id)).toEqual(['message.received', 'message.edited', 'message.deleted']);
  });

  it('is a reaction to what was received, and to what was sent', async () => {
    const flow = await startLinkedFlow(EVERY);
    const { wa, account, bob, instance, service } = flow;
    const text = { instance, to: bob.phoneNumber, type: 'text', text: 'Done!' } as const;
    const { id } = must(await service().client.messages.send(text));
    const sent = await wa.nextMessage();
    await untilMessage(flow, id, 'sent');
    const to = { remoteJid: account.lidJid, id: sent.id, fromMe: false };
    await wa.inbound(bob, account, { type: 'reaction', text: '👍', to });
    expect((await untilNotified(flow, 'message.reaction')).data).toMatchObject({
      message: { id },
      reaction: { emoji: '👍', own: false, contact: { name: 'Bob' } },
    });
  });

  it.runIf(isLongForm)('is a call, and a message that the phone alone can show', async () => {
    const flow = await startLinkedFlow(EVERY);
    const { wa, account, bob, instance } = flow;
    wa.call(bob, account, { video: true });
    expect((await untilNotified(flow, 'call.received')).data).toMatchObject({
      call: { instance_id: instance, contact: { name: 'Bob' }, group_id: null, video: true },
    });
    wa.unavailable(bob, account);
    expect((await untilNotified(flow, 'message.undecryptable')).data).toMatchObject({
      undecryptable: { instance_id: instance, contact: { name: 'Bob' }, reason: 'view_once' },
    });
  });
});

describe('a business that also writes through the Cloud API', () => {
  it.each<['LID' | 'number', PersonOptions]>([
    ['LID', { hidesNumber: true }],
    ['number', { lid: null }],
  ])(
    'is the same contact from its hosted device, named by %s alone, and each message is stored once',
    async (_, names) => {
      const flow = await startLinkedFlow();
      const { wa, account, receiver } = flow;
      const supplier = wa.person('5511955554444', { name: 'Supplier', isHosted: true, ...names });
      await wa.inbound(supplier, account, 'from the hosted device', { device: 99 });
      await wa.inbound(supplier, account, 'from the phone');
      await eventually(() => {
        const texts = receiver.events.map(({ data }) => 'message' in data && data.message.text);
        expect(texts).toContain('from the phone');
      });
      const stored = must(await flow.service().client.messages.list({ direction: 'inbound' }));
      expect(stored.map(({ text }) => text)).toEqual(['from the phone', 'from the hosted device']);
      const [first] = stored;
      expect(first?.contact).toMatchObject({ name: 'Supplier' });
      expect(stored.map(({ contact }) => contact)).toEqual([first?.contact, first?.contact]);
    },
  );
});
