import { describe, expect, it } from 'vitest';
import { acting, ADA, ADAS, inTurn, NOT_NOW, sentToAda } from './support/acting.ts';
import { MINUTE, SECOND, sendText } from './support/harness.ts';
import { PNG } from './support/media.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { texts } from './support/scripted-gateway.ts';

describe('an edit of a message', () => {
  it('goes out in the chat, and the message then shows the new text', async () => {
    const act = await acting();
    const { harness, gateway, messages, events } = act;
    const id = await sentToAda(act);
    const { action } = await messages.edit(id, { text: 'Hello' });
    expect(action).toMatchObject({ kind: 'edit', text: 'Hello', emoji: null, status: 'queued' });
    expect(await messages.get(id)).toMatchObject({ text: 'Helo', edited_at: null });
    await harness.clock.advance(SECOND);
    const networkId = gateway.sent()[0]?.networkId ?? '';
    expect(gateway.acted()).toMatchObject([
      {
        to: ADA,
        about: { networkId, senderId: null },
        deed: { kind: 'edit', type: 'text', text: 'Hello' },
      },
    ]);
    const edited = { text: 'Hello', edited_at: expect.any(String) };
    expect(await messages.get(id)).toMatchObject(edited);
    expect((await messages.actions(id)).data).toMatchObject([{ status: 'sent', text: 'Hello' }]);
    expect(events()).toMatchObject([
      { type: 'message.edited', message: { id, ...edited }, edit: { own: true, contact: null } },
    ]);
    await messages.edit(id, { text: 'Hello' });
    await harness.clock.advance(SECOND);
    expect(events()).toHaveLength(1);
  });

  it('changes a message in place that is scheduled or waits behind others', async () => {
    const act = await acting({ send: inTurn(NOT_NOW, { kind: 'accepted' }) });
    const { harness, gateway, id, messages, events } = act;
    const { message: first } = await sendText(harness, id, ADA, 'one');
    const { message: second } = await sendText(harness, id, ADA, 'two');
    const sendAt = new Date(harness.clock.now() + 3 * MINUTE).toISOString();
    const input = { instance: id, to: ADA, type: 'text', text: 'three', send_at: sendAt } as const;
    const { message: third } = await messages.send(input);
    const key = { idempotencyKey: 'k1' };
    for (const { id: about } of [second, third]) {
      const { action } = await messages.edit(about, { text: `better ${about}` }, key);
      expect(action).toMatchObject({ status: 'sent', sent_at: expect.any(String) });
      expect(await messages.edit(about, { text: `better ${about}` }, key)).toMatchObject({
        action: { id: action.id },
        replayed: true,
      });
      key.idempotencyKey = 'k2';
      expect(await messages.get(about)).toMatchObject({
        text: `better ${about}`,
        status: 'queued',
        edited_at: null,
      });
    }
    expect((await messages.edit(first.id, { text: 'better one' })).action.status).toBe('queued');
    await harness.clock.advance(5 * MINUTE);
    expect(texts(gateway.sent())).toEqual(['one', 'one', `better ${second.id}`, `better ${third.id}`]);
    expect(gateway.acted()).toMatchObject([{ deed: { text: 'better one' } }]);
    expect(await messages.get(first.id)).toMatchObject({ text: 'better one', status: 'sent' });
    expect(events()).toMatchObject([{ type: 'message.edited', message: { id: first.id } }]);
  });

  it('replaces the caption of a file, or removes it, and fits the type of the message', async () => {
    const { harness, id, gateway, messages } = await acting();
    const { message } = await messages.send({
      instance: id,
      to: ADA,
      type: 'image',
      file: new Blob([PNG]),
      caption: 'Helo',
    });
    await harness.clock.advance(SECOND);
    await messages.edit(message.id, { caption: 'Hello' });
    await harness.clock.advance(SECOND);
    expect(await messages.get(message.id)).toMatchObject({ caption: 'Hello', media: { available: true } });
    await messages.edit(message.id, { caption: '' });
    await harness.clock.advance(SECOND);
    expect(await messages.get(message.id)).toMatchObject({ caption: null, media: { available: true } });
    expect(gateway.acted()).toMatchObject([
      { deed: { kind: 'edit', type: 'image', text: 'Hello' } },
      { deed: { kind: 'edit', type: 'image', text: '' } },
    ]);
    const { message: text } = await sendText(harness, id, ADA, 'Hello');
    const wrong = (about: string, input: unknown) =>
      expect(messages.edit(about, input as { text: string })).rejects;
    for (const [about, input, field] of [
      [message.id, { text: 'Hello' }, 'text'],
      [text.id, { caption: 'Hello' }, 'caption'],
      [text.id, {}, 'text'],
      [text.id, { text: null, caption: null }, 'text'],
      [text.id, { text: 'a', caption: 'b' }, 'caption'],
      [text.id, { text: ' \n' }, 'text'],
      [text.id, { text: 'a'.repeat(4097) }, 'text'],
      [message.id, { caption: 'a'.repeat(1025) }, 'caption'],
    ] as const)
      await wrong(about, input).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { [field]: [expect.any(String)] } },
      });
  });

  it('is refused for messages of others, and after the time that the network allows', async () => {
    const act = await acting();
    const { harness, messages, received } = act;
    const refused = { code: 'INVALID_MESSAGE_STATE' };
    await expect(messages.edit(await received(), { text: 'Mine' })).rejects.toMatchObject(refused);
    const id = await sentToAda(act);
    await harness.clock.advance(15 * MINUTE - SECOND);
    expect((await messages.edit(id, { text: 'Hello' })).action.status).toBe('queued');
    await harness.clock.advance(SECOND);
    await expect(messages.edit(id, { text: 'Hello!' })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('15 minutes'),
    });
  });

  it('fails if its turn comes too late, and leaves the old text', async () => {
    const act = await acting();
    const { harness, gateway, messages, events } = act;
    const id = await sentToAda(act);
    gateway.script.act = async () => NOT_NOW;
    await messages.edit(id, { text: 'Hello' });
    await harness.clock.advance(20 * MINUTE);
    const failed = { status: 'failed', error: { code: 'too_late' }, text: 'Hello' };
    expect((await messages.actions(id)).data).toMatchObject([failed]);
    expect(await messages.get(id)).toMatchObject({ text: 'Helo', edited_at: null });
    expect(events()).toMatchObject([{ type: 'message.action_failed', action: failed }]);
  });

  it('whose outcome is unknown is repeated under one id, even after that time', async () => {
    const act = await acting({ act: inTurn({ kind: 'unknown', reason: 'no answer' }, { kind: 'accepted' }) });
    const { harness, gateway, messages } = act;
    const id = await sentToAda(act);
    await harness.clock.advance(15 * MINUTE - 2 * SECOND);
    await messages.edit(id, { text: 'Hello' });
    await harness.clock.advance(MINUTE);
    expect(new Set(gateway.acted().map(({ networkId }) => networkId)).size).toBe(1);
    expect(gateway.acted()).toHaveLength(2);
    expect(await messages.get(id)).toMatchObject({ text: 'Hello' });
  });

  it('is decided again if the phone edits the message while its outcome is stored', async () => {
    const storage = memoryStorage();
    let meanwhile = async (): Promise<void> => {};
    const finish: typeof storage.actions.finish = async (...outcome) => {
      await meanwhile();
      return storage.actions.finish(...outcome);
    };
    const act = await acting({}, { ...storage, actions: { ...storage.actions, finish } });
    const { harness, gateway, messages } = act;
    const id = await sentToAda(act);
    const about = gateway.sent()[0]?.networkId ?? '';
    meanwhile = async () => {
      meanwhile = async () => {};
      const deed = { about, author: null, groupNetworkId: null, contact: ADAS, own: true } as const;
      const at = harness.clock.now();
      await gateway.last().listener.activity?.({ ...deed, at, kind: 'edit', text: 'From the phone' });
    };
    await messages.edit(id, { text: 'Hello' });
    await harness.clock.advance(SECOND);
    expect(await messages.get(id)).toMatchObject({ text: 'Hello' });
    expect((await messages.actions(id)).data).toMatchObject([{ status: 'sent' }]);
  });

  it('loses its text when the message is deleted', async () => {
    const act = await acting();
    const { harness, gateway, messages } = act;
    const id = await sentToAda(act);
    await messages.edit(id, { text: 'Hello' });
    await harness.clock.advance(SECOND);
    const about = gateway.sent()[0]?.networkId ?? '';
    const deed = { about, author: null, groupNetworkId: null, contact: ADAS, own: true, at: null } as const;
    await gateway.last().listener.activity?.({ ...deed, kind: 'deletion' });
    expect((await messages.actions(id)).data).toMatchObject([{ status: 'sent', text: null }]);
    await expect(messages.edit(id, { text: 'Hello' })).rejects.toMatchObject({
      code: 'INVALID_MESSAGE_STATE',
    });
  });
});
