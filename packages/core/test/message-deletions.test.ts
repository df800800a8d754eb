import { describe, expect, it } from 'vitest';
import { acting, ADA, inTurn, NOT_NOW, sentToAda } from './support/acting.ts';
import { HOUR, MINUTE, SECOND, sendText } from './support/harness.ts';
import { PNG } from './support/media.ts';

describe('a deletion for everyone', () => {
  it('goes out in the chat, and the message then is as if its sender had deleted it on the phone', async () => {
    const { harness, gateway, id, messages, events } = await acting();
    const file = new Blob([PNG]);
    const image = { instance: id, to: ADA, type: 'image', file, caption: 'Look' } as const;
    const { message } = await messages.send(image);
    await harness.clock.advance(SECOND);
    const { action } = await messages.deleteForEveryone(message.id);
    expect(action).toMatchObject({ kind: 'deletion', text: null, emoji: null, status: 'queued' });
    expect(await messages.get(message.id)).toMatchObject({ caption: 'Look', deleted_at: null });
    await harness.clock.advance(SECOND);
    const networkId = gateway.sent()[0]?.networkId ?? '';
    expect(gateway.acted()).toMatchObject([
      { to: ADA, about: { networkId, senderId: null }, deed: { kind: 'deletion' } },
    ]);
    const deleted = {
      caption: null,
      media: { available: false, size: null },
      deleted_at: expect.any(String),
    };
    expect(await messages.get(message.id)).toMatchObject(deleted);
    await expect(messages.media(message.id)).rejects.toMatchObject({ code: 'MEDIA_NOT_AVAILABLE' });
    expect(events()).toMatchObject([
      { type: 'message.deleted', message: deleted, deletion: { own: true, contact: null } },
    ]);
    const { data } = await messages.events(message.id);
    expect(JSON.stringify(data)).not.toContain('Look');
    await expect(messages.deleteForEveryone(message.id)).rejects.toMatchObject({
      code: 'INVALID_MESSAGE_STATE',
    });
  });

  it('goes out behind its message, and once is enough', async () => {
    const act = await acting({ send: inTurn(NOT_NOW, { kind: 'accepted' }) });
    const { harness, gateway, messages, id, events } = act;
    const { message } = await sendText(harness, id, ADA, 'Helo');
    await messages.deleteForEveryone(message.id);
    await messages.deleteForEveryone(message.id);
    await messages.edit(message.id, { text: 'Hello' });
    await harness.clock.advance(5 * MINUTE);
    expect(gateway.acted()).toHaveLength(1);
    expect(await messages.get(message.id)).toMatchObject({ status: 'sent', text: null });
    expect((await messages.actions(message.id)).data).toMatchObject([
      { kind: 'edit', status: 'failed', error: { code: 'message_deleted' }, text: null },
      { kind: 'deletion', status: 'sent' },
      { kind: 'deletion', status: 'sent' },
    ]);
    expect(events().map((event) => Object(event)['type'])).toEqual([
      'message.deleted',
      'message.action_failed',
    ]);
  });

  it('is refused for messages of others, for scheduled ones, and after the time that the network allows', async () => {
    const act = await acting();
    const { harness, messages, id, received } = act;
    const refused = { code: 'INVALID_MESSAGE_STATE' };
    await expect(messages.deleteForEveryone(await received())).rejects.toMatchObject(refused);
    const about = await sentToAda(act);
    const sendAt = new Date(harness.clock.now() + 2 * HOUR).toISOString();
    const input = { instance: id, to: ADA, type: 'text', text: 'later', send_at: sendAt } as const;
    const { message: later } = await messages.send(input);
    await expect(messages.deleteForEveryone(later.id)).rejects.toMatchObject(refused);
    await expect(messages.cancel(about)).rejects.toMatchObject(refused);
    await harness.clock.advance(HOUR);
    await expect(messages.deleteForEveryone(about)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('for 1 hour after'),
    });
  });

  it('that the network refuses leaves the message as it is', async () => {
    const error = { code: 'not_allowed', message: 'The network does not allow it.' };
    const act = await acting({ act: async () => ({ kind: 'refused', error }) });
    const id = await sentToAda(act);
    await act.messages.deleteForEveryone(id);
    await act.harness.clock.advance(SECOND);
    const failed = { kind: 'deletion', status: 'failed', error };
    expect((await act.messages.actions(id)).data).toMatchObject([failed]);
    expect(await act.messages.get(id)).toMatchObject({ text: 'Helo', deleted_at: null });
    expect(act.events()).toMatchObject([{ type: 'message.action_failed', action: failed }]);
  });
});
