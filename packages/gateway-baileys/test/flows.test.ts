import { FILES } from '@trunkline/gateway-contract';
import { describe, expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import {
  must,
  pairByQr,
  startFlow,
  startLinkedFlow,
  reportedAbout,
  untilMessage,
  untilStatus,
  untilNotified,
} from './support/flow.ts';
import type { Flow } from './support/flow.ts';

const send = async ({ service, instance, bob }: Flow, text: string, to = bob.phoneNumber): Promise<string> =>
  must(await service().client.messages.send({ instance, to, type: 'text', text })).id;

async function receivedFile({ service }: Flow, id: string): Promise<Buffer> {
  const media = await service().client.messages.media(id);
  if (!media.ok) throw new Error(media.error.code);
  return Buffer.from(await new Response(media.content).arrayBuffer());
}

describe('linking over the REST API', () => {
  it.runIf(isLongForm)('pairs by QR, through the restart that the network asks for', async () => {
    const flow = await startLinkedFlow();
    expect(must(await flow.service().client.instances.get(flow.instance))).toMatchObject({
      paired: true,
      phone_number: '5511900000001',
      profile_picture_url: 'https://pps.example/shop.jpg',
      capabilities: [
        'text',
        'image',
        'document',
        'audio',
        'video',
        'locations',
        'contacts',
        'polls',
        'stickers',
        'mentions',
        'groups',
        'reactions',
        'edits',
        'deletions',
        'read_marks',
        'typing',
        'lookup',
        'block',
        'group_admin',
      ],
    });
    await untilNotified(flow, 'instance.connected');
    const types = flow.receiver.events.map(({ type }) => type);
    expect(types.toSorted()).toEqual(['instance.connected', 'instance.qr_required']);
  });

  it.runIf(isLongForm)('pairs by a code that is typed on the phone', async () => {
    const flow = await startFlow();
    const { client } = flow.service();
    must(await client.instances.connect(flow.instance, { pairing_phone_number: '+55 11 90000-0001' }));
    await untilStatus(flow, 'qr_required');
    const { pairing_code: code, svg } = must(await client.instances.qr(flow.instance));
    expect(svg).toMatch(/^<svg/);
    expect(code).toMatch(/^[0-9A-Z]{8}$/);
    await flow.wa.enterCode(flow.account, code ?? '');
    await untilStatus(flow, 'connected');
  });
});

describe('messages over the REST API', () => {
  it('sends a text, whose receipts arrive in order even if the network skips one', async () => {
    const flow = await startLinkedFlow();
    const id = await send(flow, 'Grüße 👋');
    const sent = await flow.wa.nextMessage();
    expect(sent).toMatchObject({ toPhoneNumber: flow.bob.phoneNumber, content: { text: 'Grüße 👋' } });
    await untilMessage(flow, id, 'sent');
    flow.wa.receipt(flow.account, { by: flow.bob, type: 'read', ids: [sent.id] });
    const read = await untilMessage(flow, id, 'read');
    expect(read.delivered_at).toBe(read.read_at);
    await untilNotified(flow, 'message.read');
    await eventually(() =>
      expect(reportedAbout(flow, id)).toEqual(['message.sent', 'message.delivered', 'message.read']),
    );
    expect(flow.receiver.forged()).toBe(0);
  });

  it.runIf(isLongForm)('sends and receives each type of file, byte for byte', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob, instance } = flow;
    for (const { type, mimeType, filename, content } of FILES) {
      const caption = type === 'audio' ? {} : { caption: `a ${type}` };
      const file = new Blob([content]);
      const { id } = must(
        await flow
          .service()
          .client.messages.send({ instance, to: bob.phoneNumber, type, file, filename, ...caption }),
      );
      const sent = await wa.nextMessage();
      expect(sent.content).toMatchObject({ type, mimeType, caption: caption.caption ?? null });
      expect('bytes' in sent.content && Buffer.from(sent.content.bytes).equals(content)).toBe(true);
      await untilMessage(flow, id, 'sent');

      await wa.inbound(bob, account, { type, mimeType, bytes: content, filename, ...caption });
      const event = await untilNotified(
        flow,
        'message.received',
        ({ data }) => 'message' in data && data.message.type === type,
      );
      if (!('message' in event.data)) throw new Error('The event is not about a message.');
      const { message } = event.data;
      expect(message).toMatchObject({
        from: bob.phoneNumber,
        to: account.phoneNumber,
        caption: caption.caption ?? null,
      });
      expect(message.media).toMatchObject({ available: true, mime_type: mimeType, size: content.length });
      expect((await receivedFile(flow, message.id)).equals(content)).toBe(true);
    }
  });

  it.runIf(isLongForm)('sends to a group and receives from it', async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob, instance } = flow;
    const { client } = flow.service();
    const group = wa.group({ subject: 'Neighbours', members: [bob] });
    wa.addToGroup(group, account);
    const found = await eventually(async () => {
      const [first] = must(await client.instances.groups(instance));
      expect(first).toMatchObject({ name: 'Neighbours', participants_count: 2 });
      return first;
    });
    const id = await send(flow, 'Anyone home?', found?.id);
    const sent = await wa.nextMessage();
    expect(sent).toMatchObject({ to: group.jid, readableBy: [bob.phoneNumber] });
    await untilMessage(flow, id, 'sent');
    wa.receipt(account, { by: bob, type: 'delivered', ids: [sent.id], group });
    await untilMessage(flow, id, 'delivered');

    await wa.inbound(bob, account, 'I am', { group });
    const { data } = await untilNotified(flow, 'message.received');
    expect(data).toMatchObject({
      message: { text: 'I am', from: bob.phoneNumber, to: null, group_id: found?.id },
    });

    wa.renameGroup(group, 'Good neighbours');
    await eventually(async () =>
      expect(must(await client.instances.groups(instance))).toMatchObject([{ name: 'Good neighbours' }]),
    );
  });

  it.runIf(isLongForm)('fails a message to a number that is not on WhatsApp, and says so', async () => {
    const flow = await startLinkedFlow();
    flow.wa.person('5511900009999', { onWhatsApp: false });
    const id = await send(flow, 'Anyone?', '5511900009999');
    expect((await untilMessage(flow, id, 'failed')).error).toEqual({
      code: 'recipient_not_on_whatsapp',
      message: expect.any(String),
    });
  });
});

describe('disturbances, seen through the REST API', () => {
  it('an instance that the phone unlinked is logged out, and pairs again', async () => {
    const flow = await startLinkedFlow();
    flow.wa.unlink(flow.account);
    await untilStatus(flow, 'logged_out');
    expect(must(await flow.service().client.instances.get(flow.instance))).toMatchObject({
      paired: false,
      phone_number: null,
      last_error: 'logged_out_from_phone',
    });
    await untilNotified(flow, 'instance.disconnected');
    await pairByQr(flow);
  });

  it('a connection that drops comes back by itself, and what was queued is sent', async () => {
    const flow = await startLinkedFlow();
    flow.wa.drop(flow.account);
    await untilStatus(flow, 'connecting');
    await untilStatus(flow, 'connected');
    await untilMessage(flow, await send(flow, 'back again'), 'sent');
    expect(flow.receiver.events.map(({ type }) => type)).not.toContain('instance.disconnected');
  });

  it.runIf(isLongForm)('an instance that another client replaced waits before it comes back', async () => {
    const flow = await startLinkedFlow();
    flow.wa.replace(flow.account);
    await eventually(async () =>
      expect(must(await flow.service().client.instances.get(flow.instance))).toMatchObject({
        status: 'connecting',
        last_error: 'connection_replaced',
      }),
    );
    expect(flow.wa.linkedDevices(flow.account)).toMatchObject([{ connected: false }]);
  });

  it('what was written while the service was down is received after its start, without a QR', async () => {
    const flow = await startLinkedFlow();
    const { wa, bob, account } = flow;
    await flow.restart(async () => {
      await wa.inbound(bob, account, 'while you were away');
    });
    await untilStatus(flow, 'connected');
    const { data } = await untilNotified(flow, 'message.received');
    expect(data).toMatchObject({ message: { text: 'while you were away', from: bob.phoneNumber } });
    await untilMessage(flow, await send(flow, 'here again'), 'sent');
  });

  it.runIf(isLongForm)('a logout takes the device off the phone', async () => {
    const flow = await startLinkedFlow();
    expect(must(await flow.service().client.instances.logout(flow.instance))).toMatchObject({
      status: 'logged_out',
      paired: false,
    });
    expect(flow.wa.linkedDevices(flow.account)).toEqual([]);
  });

  it.runIf(isLongForm)('a logout of an instance that is disconnected does too', async () => {
    const flow = await startLinkedFlow();
    const { client } = flow.service();
    must(await client.instances.disconnect(flow.instance));
    expect(must(await client.instances.logout(flow.instance))).toMatchObject({ status: 'logged_out' });
    expect(flow.wa.linkedDevices(flow.account)).toEqual([]);
  });
});
