import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from '@trunkline/receiver';
import { OPT_IN_EVENT_TYPES } from '../src/index.ts';
import type { Activity, ActivityOnMessage, ContactReport } from '../src/spi/gateway.ts';
import { memoryMediaStore } from '../src/testing/index.ts';
import { PNG, mediaGateway, png } from './support/media.ts';
import {
  DAY,
  MINUTE,
  SECOND,
  connectScripted,
  jumpAhead,
  listen,
  sendText,
  startHarness,
  receivedEvents,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';
import type { ScriptedGateway } from './support/scripted-gateway.ts';

const AT = Date.UTC(2026, 0, 1);

const ADA = person('34600000009');
const EVE = person('34600000666');

function person(phoneNumber: string): ContactReport {
  return { networkId: `${phoneNumber}@net`, aliases: [], phoneNumber, name: null, username: null };
}

interface Chats {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  readonly id: string;
  /** Reports a message from a contact. Returns the id of the message. */
  receive(message?: {
    networkId?: string;
    from?: ContactReport;
    group?: string;
    text?: string;
  }): Promise<string>;
  activity(activity: Activity): Promise<void>;
  /** The opt-in events that receivers got. */
  events(): Promise<readonly WebhookEvent[]>;
}

/** A connected instance, with an endpoint for the opt-in events, and another for the events of the specification. */
async function chats(
  gateway: ScriptedGateway = scriptedGateway(),
  media = memoryMediaStore(),
): Promise<Chats> {
  const harness = await startHarness({ gateway, media });
  await harness.api.webhooks.create({ url: 'https://hooks.example.com/more', events: OPT_IN_EVENT_TYPES });
  await listen(harness, 'https://hooks.example.com/nine');
  const id = await connectScripted(harness);
  const { listener } = gateway.last();
  return {
    harness,
    gateway,
    id,
    async receive({ networkId = 'IN1', from = ADA, group, text = 'Hi' } = {}) {
      await listener.message({
        networkId,
        senderId: from.networkId,
        from: from.phoneNumber,
        contact: from,
        groupNetworkId: group ?? null,
        content: { type: 'text', text },
      });
      return (await harness.api.messages.list()).data[0]?.id ?? '';
    },
    async activity(activity) {
      await gateway.last().listener.activity?.(activity);
    },
    async events() {
      await harness.clock.settle();
      const names: readonly string[] = OPT_IN_EVENT_TYPES;
      return receivedEvents(harness).filter(({ type }) => names.includes(type));
    },
  };
}

const byAda: ActivityOnMessage = {
  about: 'IN1',
  author: ADA.networkId,
  groupNetworkId: null,
  contact: ADA,
  own: false,
  at: AT,
};

const contactOf = ({ phoneNumber }: ContactReport): object =>
  expect.objectContaining({ id: expect.stringMatching(/^con_/), phone_number: phoneNumber });

describe('a reaction', () => {
  it('is reported with its message and who reacted, to those who named the event', async () => {
    const { harness, receive, activity, events } = await chats();
    const id = await receive();
    await activity({ ...byAda, kind: 'reaction', emoji: '👍' });
    const message = await harness.api.messages.get(id);
    expect((await events()).map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'message.reaction',
        data: {
          message,
          reaction: { emoji: '👍', contact: contactOf(ADA), own: false, at: '2026-01-01T00:00:00.000+00:00' },
        },
      },
    ]);
    const urls = harness.sender.requests
      .filter(({ body }) => body.includes('message.reaction'))
      .map(({ url }) => url);
    expect(urls).toEqual(['https://hooks.example.com/more']);
  });

  it('is reported once, until it is changed or taken back', async () => {
    const { receive, activity, events } = await chats();
    await receive();
    const react = (emoji: string | null, at: number) => activity({ ...byAda, kind: 'reaction', emoji, at });
    await Promise.all([react('👍', AT), react('👍', AT)]);
    await react('👍', AT);
    await react(null, AT - 2);
    await react('👍', AT - 1);
    expect((await events()).map(({ data }) => 'reaction' in data && data.reaction.emoji)).toEqual([
      '👍',
      null,
      '👍',
    ]);
  });

  it('may come from the recipient of our message, or from the owner of the number', async () => {
    const { harness, id, gateway, activity, events } = await chats();
    await sendText(harness, id, ADA.phoneNumber ?? '');
    await harness.clock.settle();
    const about = gateway.sent()[0]?.networkId ?? '';
    await activity({ ...byAda, about, author: null, kind: 'reaction', emoji: '❤️' });
    await activity({ ...byAda, about, author: null, own: true, kind: 'reaction', emoji: '✅' });
    expect((await events()).map(({ data }) => 'reaction' in data && data.reaction)).toMatchObject([
      { emoji: '❤️', own: false, contact: contactOf(ADA) },
      { emoji: '✅', own: true, contact: null },
    ]);
  });

  it('is nothing without its message, in another chat, or as long as a text', async () => {
    const { receive, activity, events } = await chats();
    await receive();
    await activity({ ...byAda, about: 'IN2', kind: 'reaction', emoji: '👍' });
    await activity({ ...byAda, contact: EVE, kind: 'reaction', emoji: '👍' });
    await activity({ ...byAda, contact: null, kind: 'reaction', emoji: '👍' });
    await activity({ ...byAda, groupNetworkId: 'no such group', kind: 'reaction', emoji: '👍' });
    await activity({ ...byAda, kind: 'reaction', emoji: 'x'.repeat(100_000) });
    expect(await events()).toEqual([]);
  });
});

describe('an edit', () => {
  it('changes the text, and is reported with the new one', async () => {
    const { harness, receive, activity, events } = await chats();
    const id = await receive({ text: 'Helo' });
    await activity({ ...byAda, kind: 'edit', text: 'Hello' });
    const message = await harness.api.messages.get(id);
    expect(message).toMatchObject({
      text: 'Hello',
      edited_at: '2026-01-01T00:00:00.000+00:00',
      deleted_at: null,
    });
    expect((await events()).map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'message.edited',
        data: {
          message,
          edit: { contact: contactOf(ADA), own: false, at: '2026-01-01T00:00:00.000+00:00' },
        },
      },
    ]);
  });

  it('is made once, and an older one never after a newer one', async () => {
    const { harness, receive, activity, events } = await chats();
    const id = await receive();
    const edit = (text: string, at: number | null) => activity({ ...byAda, kind: 'edit', text, at });
    await edit('second', AT - 10);
    await edit('third', AT - 5);
    await edit('second', AT - 10);
    await edit('third', AT - 5);
    await edit('between', AT - 7);
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'third' });
    await edit('back', null);
    await edit('third', null);
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'third' });
    expect((await events()).map(({ data }) => 'message' in data && data.message.text)).toEqual([
      'second',
      'third',
      'back',
      'third',
    ]);
  });

  it('is ignored if it is not by the author', async () => {
    const { harness, receive, activity, events } = await chats();
    const id = await receive({ text: 'mine' });
    const forged = { ...byAda, kind: 'edit', text: 'forged' } as const;
    await activity({ ...forged, contact: EVE });
    await activity({ ...forged, contact: EVE, author: EVE.networkId });
    await activity({ ...forged, own: true });
    await activity({ ...forged, author: null });
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'mine', edited_at: null });
    expect(await events()).toEqual([]);
  });

  it('changes the message of its author, whatever ids others have chosen for theirs', async () => {
    const { harness, receive, activity } = await chats();
    const id = await receive({ text: 'Ada’s' });
    await harness.clock.advance(1);
    const eves = await receive({ from: EVE, text: 'Eve’s' });
    await activity({ ...byAda, contact: EVE, author: EVE.networkId, kind: 'edit', text: 'Eve’s own' });
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'Ada’s' });
    expect(await harness.api.messages.get(eves)).toMatchObject({ text: 'Eve’s own' });
  });

  it('is accepted only from the author in a group', async () => {
    const { harness, receive, activity } = await chats();
    const group = '120363@g.us';
    const id = await receive({ group, text: 'mine' });
    const edit = { ...byAda, kind: 'edit', text: 'edited', groupNetworkId: group } as const;
    await activity({ ...edit, contact: EVE });
    await activity({ ...edit, groupNetworkId: null });
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'mine' });
    await activity(edit);
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'edited' });
  });

  it('may remove a caption, which is then null', async () => {
    const { harness, gateway, activity, events } = await chats(mediaGateway(), memoryMediaStore());
    const received = async (networkId: string, caption: string): Promise<void> =>
      gateway.last().listener.message({
        networkId,
        senderId: ADA.networkId,
        from: ADA.phoneNumber,
        contact: ADA,
        groupNetworkId: null,
        content: {
          type: 'image',
          caption,
          file: { mimeType: 'image/png', filename: null, open: async () => png().stream() },
        },
      });
    await received('IN1', 'Look');
    await activity({ ...byAda, kind: 'edit', text: '' });
    await received('IN2', '');
    const captions = (await harness.api.messages.list()).data.map(({ caption }) => caption);
    expect(captions).toEqual([null, null]);
    expect(await events()).toMatchObject([{ data: { message: { caption: null } } }]);
  });

  it('is accepted from the owner for a message that we sent, and stays when a receipt comes with it', async () => {
    const { harness, id, gateway, activity, events } = await chats();
    const { message } = await sendText(harness, id, ADA.phoneNumber ?? '', 'Helo');
    await harness.clock.settle();
    const about = gateway.sent()[0]?.networkId ?? '';
    await activity({ ...byAda, about, author: null, kind: 'edit', text: 'forged' });
    await Promise.all([
      activity({ ...byAda, about, author: null, own: true, kind: 'edit', text: 'Hello' }),
      gateway.last().listener.receipt({ networkId: about, status: 'read' }),
    ]);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ text: 'Hello', status: 'read' });
    expect((await events()).map(({ data }) => 'edit' in data && data.edit)).toMatchObject([
      { own: true, contact: null },
    ]);
  });
});

describe('a deletion', () => {
  it('leaves a message without its content, and its file deleted', async () => {
    const media = memoryMediaStore();
    const { harness, gateway, activity, events } = await chats(mediaGateway(), media);
    await gateway.last().listener.message({
      networkId: 'IN1',
      senderId: ADA.networkId,
      from: ADA.phoneNumber,
      contact: ADA,
      groupNetworkId: null,
      content: {
        type: 'image',
        caption: 'secret',
        file: { mimeType: 'image/png', filename: 'secret.png', open: async () => png().stream() },
      },
    });
    const [received] = (await harness.api.messages.list()).data;
    const id = received?.id ?? '';
    expect(received?.media).toMatchObject({ available: true, size: PNG.length });
    await activity({ ...byAda, kind: 'deletion', at: null });
    const message = await harness.api.messages.get(id);
    expect(message).toMatchObject({
      type: 'image',
      text: null,
      caption: null,
      media: { available: false, size: null, sha256: null },
      edited_at: null,
      deleted_at: expect.any(String),
    });
    expect(JSON.stringify(message)).not.toContain('secret');
    expect(media.ids()).toEqual([]);
    await expect(harness.api.messages.media(id)).rejects.toMatchObject({ code: 'MEDIA_NOT_AVAILABLE' });
    expect((await events()).map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'message.deleted',
        data: { message, deletion: { contact: contactOf(ADA), own: false, at: null } },
      },
    ]);
  });

  it('is made once, and no edit comes after it', async () => {
    const { harness, receive, activity, events } = await chats();
    const id = await receive();
    await activity({ ...byAda, kind: 'deletion' });
    await activity({ ...byAda, kind: 'deletion', at: AT + 1 });
    await activity({ ...byAda, kind: 'edit', text: 'back' });
    expect(await harness.api.messages.get(id)).toMatchObject({ text: null });
    expect(await events()).toHaveLength(1);
  });

  it('is ignored outside of groups if it is not by the author', async () => {
    const { harness, receive, activity, events } = await chats();
    const id = await receive({ text: 'mine' });
    for (const changes of [
      { contact: EVE },
      { contact: EVE, author: EVE.networkId },
      { own: true },
      { author: null },
    ])
      await activity({ ...byAda, kind: 'deletion', ...changes });
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'mine', deleted_at: null });
    expect(await events()).toEqual([]);
  });

  it('may come from an admin in a group: the gateway knows who is one', async () => {
    const { harness, receive, activity, events } = await chats();
    const group = '120363@g.us';
    const id = await receive({ group, text: 'spam' });
    await activity({ ...byAda, kind: 'deletion', groupNetworkId: group, contact: EVE });
    expect(await harness.api.messages.get(id)).toMatchObject({ text: null, deleted_at: expect.any(String) });
    expect((await events()).map(({ data }) => 'deletion' in data && data.deletion)).toMatchObject([
      { contact: contactOf(EVE) },
    ]);
  });

  it('is completed by the sweeper if the media store fails to delete the file', async () => {
    const media = memoryMediaStore();
    const { harness, gateway, activity } = await chats(mediaGateway(), {
      ...media,
      delete: () => Promise.reject(new Error('read-only')),
    });
    await gateway.last().listener.message({
      networkId: 'IN1',
      senderId: ADA.networkId,
      from: ADA.phoneNumber,
      contact: ADA,
      groupNetworkId: null,
      content: {
        type: 'image',
        caption: null,
        file: { mimeType: 'image/png', filename: null, open: async () => png().stream() },
      },
    });
    await activity({ ...byAda, kind: 'deletion' });
    const [{ id } = { id: '' }] = (await harness.api.messages.list()).data;
    expect(await harness.storage.uploads.listAbandoned(harness.clock.now() + 1, 10)).toEqual([id]);
  });
});

describe('a message that cannot be read', () => {
  const UNREADABLE = {
    kind: 'undecryptable',
    networkId: 'IN9',
    senderId: ADA.networkId,
    groupNetworkId: null,
    contact: ADA,
    sentAt: AT,
    reason: 'view_once',
  } as const;

  it('is reported once, and not stored', async () => {
    const { harness, id, activity, events } = await chats();
    await activity(UNREADABLE);
    await activity(UNREADABLE);
    expect((await events()).map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'message.undecryptable',
        data: {
          undecryptable: {
            instance_id: id,
            contact: contactOf(ADA),
            group_id: null,
            reason: 'view_once',
            sent_at: '2026-01-01T00:00:00.000+00:00',
          },
        },
      },
    ]);
    expect((await harness.api.messages.list()).data).toEqual([]);
  });

  it('is not reported if it could be read before', async () => {
    const { receive, activity, events } = await chats();
    await receive({ networkId: 'IN9' });
    await activity(UNREADABLE);
    expect(await events()).toEqual([]);
  });
});

describe('a call', () => {
  it('is reported once, with who calls', async () => {
    const { id, activity, events } = await chats();
    const call = {
      kind: 'call',
      networkId: 'C1',
      contact: ADA,
      groupNetworkId: null,
      video: true,
      at: AT,
    } as const;
    await activity(call);
    await activity(call);
    await activity({ ...call, networkId: 'C2', contact: null, video: false, at: null });
    expect((await events()).map(({ data }) => data)).toEqual([
      {
        call: {
          instance_id: id,
          contact: contactOf(ADA),
          group_id: null,
          video: true,
          at: '2026-01-01T00:00:00.000+00:00',
        },
      },
      { call: { instance_id: id, contact: null, group_id: null, video: false, at: null } },
    ]);
  });

  it('counts as another one if it is reported again after a month: its key was deleted', async () => {
    const { harness, activity, events } = await chats();
    const call = {
      kind: 'call',
      networkId: 'C1',
      contact: ADA,
      groupNetworkId: null,
      video: false,
      at: null,
    } as const;
    await activity(call);
    expect(await events()).toHaveLength(1);
    await jumpAhead(harness, 31 * DAY);
    await activity(call);
    expect(await events()).toHaveLength(2);
  });
});

describe('a message that was sent with the phone', () => {
  const echo = {
    kind: 'echo',
    networkId: 'OUT1',
    to: ADA.phoneNumber,
    groupNetworkId: null,
    contact: ADA,
    sentAt: AT - 5_000,
    replyTo: 'IN1',
    content: { type: 'text', text: 'On my way' },
  } as const;

  it('is stored and reported once, as what the phone has sent', async () => {
    const { harness, id, receive, activity, events } = await chats();
    const replyTo = await receive();
    await harness.clock.advance(1);
    await Promise.all([activity(echo), activity(echo)]);
    await activity(echo);
    const [message, ...others] = (await harness.api.messages.list({ origin: 'device' })).data;
    expect((await harness.api.messages.list()).data.map(({ id: own }) => own)).toEqual([replyTo]);
    expect((await harness.api.messages.list({ direction: 'outbound' })).data).toEqual([]);
    expect((await harness.api.messages.list({ origin: 'any' })).data).toHaveLength(2);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      instance_id: id,
      origin: 'device',
      status: 'sent',
      to: ADA.phoneNumber,
      from: PROFILE.phoneNumber,
      contact: contactOf(ADA),
      reply_to: replyTo,
      text: 'On my way',
      queued_at: null,
      sent_at: '2025-12-31T23:59:55.000+00:00',
      received_at: null,
    });
    expect((await events()).map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'message.echo', data: { message } },
    ]);
  });

  it('follows its receipts, without events', async () => {
    const { harness, gateway, activity } = await chats();
    await activity(echo);
    await harness.clock.settle();
    const before = receivedEvents(harness).length;
    await gateway.last().listener.receipt({ networkId: 'OUT1', status: 'delivered' });
    await gateway.last().listener.receipt({ networkId: 'OUT1', status: 'read' });
    await harness.clock.settle();
    expect((await harness.api.messages.list({ origin: 'any' })).data).toMatchObject([
      { status: 'read', delivered_at: expect.any(String), read_at: expect.any(String) },
    ]);
    expect(receivedEvents(harness)).toHaveLength(before);
  });

  it.each<[string, Partial<ScriptedGateway>]>([
    ['that leads back to it', { newMessageId: (bytes) => `SBX${Buffer.from(bytes).toString('hex')}` }],
    ['of any other form', {}],
  ])('is not reported if the API sent it under an id %s', async (_, ids) => {
    const { harness, id, gateway, activity, events } = await chats({ ...scriptedGateway(), ...ids });
    await sendText(harness, id, ADA.phoneNumber ?? '');
    await harness.clock.settle();
    await activity({ ...echo, networkId: gateway.sent()[0]?.networkId ?? '' });
    expect((await harness.api.messages.list({ origin: 'any' })).data).toMatchObject([{ origin: 'api' }]);
    expect(await events()).toEqual([]);
  });

  it('has its file, and its group', async () => {
    const { harness, id, activity, events } = await chats(mediaGateway());
    const file = { mimeType: 'image/png', filename: 'me.png', open: async () => png().stream() };
    await activity({
      ...echo,
      to: null,
      contact: null,
      groupNetworkId: '120363@g.us',
      content: { type: 'image', caption: 'Look', file },
    });
    const [group] = (await harness.api.instances.groups(id)).data;
    const [message] = (await harness.api.messages.list({ origin: 'device' })).data;
    expect(message).toMatchObject({
      type: 'image',
      caption: 'Look',
      to: null,
      group_id: group?.id,
      contact: null,
      reply_to: null,
      media: { available: true, size: PNG.length, filename: 'me.png' },
    });
    expect(await events()).toMatchObject([{ data: { message: { media: { available: true } } } }]);
    const download = await harness.api.messages.media(message?.id ?? '');
    expect(await new Response(await download.open()).bytes()).toEqual(PNG);
  });

  it('can be edited and deleted with the phone', async () => {
    const { harness, activity } = await chats();
    await activity(echo);
    const own = { ...byAda, about: 'OUT1', author: null, own: true } as const;
    await activity({ ...own, kind: 'edit', text: 'On our way' });
    expect((await harness.api.messages.list({ origin: 'any' })).data).toMatchObject([
      { text: 'On our way', origin: 'device' },
    ]);
    await activity({ ...own, kind: 'deletion' });
    expect((await harness.api.messages.list({ origin: 'any' })).data).toMatchObject([
      { text: null, origin: 'device' },
    ]);
  });
});

describe('an activity', () => {
  it('is acknowledged only after it is stored', async () => {
    const { harness, receive, activity, events } = await chats();
    const id = await receive();
    const { activities } = harness.storage;
    const record = activities.record.bind(activities);
    activities.record = () => Promise.reject(new Error('disk full'));
    let isAcknowledged = false;
    const edited = activity({ ...byAda, kind: 'edit', text: 'edited' }).then(() => (isAcknowledged = true));
    await harness.clock.advance(MINUTE);
    expect(isAcknowledged).toBe(false);
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'Hi' });
    activities.record = record;
    await harness.clock.advance(10 * SECOND);
    await edited;
    expect(await harness.api.messages.get(id)).toMatchObject({ text: 'edited' });
    expect(await events()).toHaveLength(1);
  });

  it('is not stored if its connection has ended', async () => {
    const { harness, gateway, receive, events } = await chats();
    await receive();
    const { listener } = gateway.last();
    await listener.closed({ kind: 'dropped', detail: 'lost' });
    await harness.clock.advance(SECOND);
    await expect(listener.activity?.({ ...byAda, kind: 'reaction', emoji: '👍' })).rejects.toThrow();
    expect(await events()).toEqual([]);
  });
});
