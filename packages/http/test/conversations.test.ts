import { memoryMediaStore } from '@trunkline/core/testing';
import type { SandboxMessage } from '@trunkline/core/sandbox';
import { describe, expect, test } from 'vitest';
import { textOf } from './client.ts';
import type { Call, Json, Seen } from './client.ts';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';

interface Ready {
  readonly service: Service;
  readonly call: Call;
  readonly instance: string;
  /** Sends a message to the instance from outside. Resolves with the message that the webhook contained. */
  readonly receive: (message: SandboxMessage) => Promise<Json>;
  readonly send: (fields: object) => Promise<Seen>;
}

async function ready(): Promise<Ready> {
  const service = await startService({ media: memoryMediaStore() });
  const { call } = await service.newWorkspace();
  const instance = await service.connected(call);
  await call('POST', '/webhooks', {
    json: { url: 'https://hooks.example.com/in', events: ['message.received'] },
  });
  return {
    service,
    call,
    instance,
    async receive(message) {
      const before = service.receivers.requests.length;
      await service.sandbox.phone(instance).receive(message);
      await service.clock.advance(1_000);
      expect(service.receivers.requests).toHaveLength(before + 1);
      const body: Json = JSON.parse(service.receivers.requests.at(-1)?.body ?? '');
      const seen = body['data']?.['message'] as Json; // see `Json`
      expect((await call('GET', `/messages/${textOf(seen.id)}`)).json.data).toEqual(seen);
      return seen;
    },
    send: (fields) =>
      call('POST', '/messages', { json: { instance, type: 'text', text: 'Hello', ...fields } }),
  };
}

const ADA = { networkId: 'lid-ada', name: 'Ada', username: 'ada.l' };

describe('a conversation by REST and webhooks works', () => {
  test('for a contact without a number who gets a quoted reply and quotes that', async () => {
    const { service, call, instance, receive, send } = await ready();
    const asked = await receive({ from: null, sender: ADA, text: 'Are you open?' });
    expect(asked).toMatchObject({
      from: null,
      contact: { name: 'Ada', phone_number: null, username: 'ada.l' },
      reply_to: null,
      kind: 'text',
      payload: null,
      origin: null,
    });
    const contact = textOf(asked['contact']?.id);
    const answered = await send({ to: contact, text: 'Until six.', reply_to: asked.id });
    expect(answered).toMatchObject({
      status: 202,
      json: { data: { to: null, contact: asked['contact'], reply_to: asked.id, origin: 'api' } },
    });
    await service.clock.advance(1_000);
    const answer = idOf(answered.json);
    expect((await call('GET', `/messages/${answer}`)).json.data).toMatchObject({ status: 'read' });
    const [accepted] = service.sandbox.phone(instance).accepted();
    expect(accepted).toMatchObject({ contactNetworkId: 'lid-ada', to: '', text: 'Until six.' });

    const thanks = await receive({
      from: '15550123',
      sender: ADA,
      text: 'Thanks',
      replyTo: accepted?.networkId,
    });
    expect(thanks).toMatchObject({ reply_to: answer, from: '15550123' });
    expect(thanks['contact']).toEqual({ ...asked['contact'], phone_number: '15550123' });
    expect((await send({ to: '+1 555 0123', reply_to: asked.id })).status).toBe(202);
  });

  test('for a location with its own time, and the reply of a button', async () => {
    const { service, receive } = await ready();
    const sentAt = service.clock.now() - 3_600_000;
    const payload = { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: null };
    expect(await receive({ from: '15550123', sentAt, detail: { kind: 'location', payload } })).toMatchObject({
      type: 'text',
      kind: 'location',
      text: 'Location: Plaza Mayor, 40.41,-3.70',
      payload,
      sent_at: new Date(sentAt).toISOString().replace('Z', '+00:00'),
    });
    const answer = { id: 'yes', title: 'Yes!' };
    expect(
      await receive({ from: '15550123', detail: { kind: 'button_reply', payload: answer } }),
    ).toMatchObject({ type: 'text', kind: 'button_reply', text: 'Yes!', payload: answer });
  });

  test('for voice messages in both directions', async () => {
    const { service, instance, call, receive } = await ready();
    const ogg = await new Blob(['OggS', new Uint8Array(24), 'OpusHead']).bytes();
    const voice = { kind: 'voice', payload: { seconds: 3 } } as const;
    const heard = await receive({ from: '15550123', file: { type: 'audio', content: ogg }, detail: voice });
    expect(heard).toMatchObject({ type: 'audio', ...voice, media: { mime_type: 'audio/ogg' } });
    const form = new FormData();
    for (const [name, value] of Object.entries({
      instance,
      to: textOf(heard['contact']?.id),
      type: 'audio',
      voice: 'true',
      reply_to: textOf(heard.id),
    })) {
      form.set(name, value);
    }
    form.set('file', new Blob([ogg]), 'answer.ogg');
    const sent = await call('POST', '/messages', { body: form });
    expect(sent).toMatchObject({
      status: 202,
      json: { data: { to: '15550123', kind: 'voice', payload: { seconds: null }, reply_to: heard.id } },
    });
    await service.clock.advance(1_000);
    expect(service.sandbox.phone(instance).accepted()).toMatchObject([
      { to: '15550123', contactNetworkId: '15550123', file: { type: 'audio', voice: true } },
    ]);
  });

  test("for a message delivered both by its sender's number and by their id, once", async () => {
    const { service, instance, call, receive } = await ready();
    await receive({ from: '15550123', sender: ADA, text: 'Hi', networkId: 'IN-1' });
    const phone = service.sandbox.phone(instance);
    await phone.receive({ from: '15550123', text: 'Hi', networkId: 'IN-1' });
    await phone.receive({ from: null, sender: ADA, text: 'Hi', networkId: 'IN-1' });
    await service.clock.advance(2_000);
    expect((await call('GET', '/messages')).json.data).toHaveLength(1);
    expect(service.receivers.requests).toHaveLength(1);
  });
});

describe('POST /messages', () => {
  test('refuses a contact that the instance does not know', async () => {
    const { service, receive, send } = await ready();
    const { contact } = await receive({ from: '15550123', text: 'Hi' });
    const to = textOf(contact?.id);
    expect(await send({ to: 'con_01k9z000000000000000000000' })).toMatchObject({
      status: 422,
      code: 'INVALID_RECIPIENT',
    });
    const other = await service.newWorkspace();
    const stranger = await service.connected(other.call);
    const message = { instance: stranger, to, type: 'text', text: 'Hello' };
    expect(await other.call('POST', '/messages', { json: message })).toMatchObject({
      status: 422,
      code: 'INVALID_RECIPIENT',
    });
  });

  test('refuses a reply to a message of another chat, of another workspace, or of none', async () => {
    const { service, receive, send } = await ready();
    const asked = await receive({ from: '15550123', text: 'Hi' });
    const refused = { status: 422, code: 'VALIDATION_FAILED' };
    for (const reply_to of [asked.id, 'msg_01k9z000000000000000000000', 'no id', '', 5]) {
      const seen = await send({ to: '15550124', reply_to });
      expect(seen).toMatchObject(refused);
      expect(Object.keys(seen.json['error']?.['details']?.['fields'] ?? {})).toEqual(['reply_to']);
    }
    const other = await service.newWorkspace();
    const stranger = await service.connected(other.call);
    const message = { instance: stranger, to: '15550123', type: 'text', text: 'Hello', reply_to: asked.id };
    expect(await other.call('POST', '/messages', { json: message })).toMatchObject(refused);
  });

  test('refuses a text as a voice message', async () => {
    const { send } = await ready();
    expect(await send({ to: '15550123', voice: true })).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
      json: { error: { details: { fields: { voice: ['Must be given only with the type audio.'] } } } },
    });
    expect(await send({ to: '15550123', voice: false })).toMatchObject({ status: 202 });
  });

  test('replays a reply, and refuses its key for the message without it', async () => {
    const { call, instance, receive } = await ready();
    const asked = await receive({ from: '15550123', text: 'Hi' });
    const message = { instance, to: '15550123', type: 'text', text: 'Hello' };
    const headers = { 'Idempotency-Key': 'one' };
    const reply = { json: { ...message, reply_to: asked.id }, headers };
    const first = await call('POST', '/messages', reply);
    expect(first.status).toBe(202);
    expect(await call('POST', '/messages', reply)).toMatchObject({
      status: 200,
      json: { data: { id: idOf(first.json) } },
    });
    expect(await call('POST', '/messages', { json: message, headers })).toMatchObject({
      status: 422,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });
});
