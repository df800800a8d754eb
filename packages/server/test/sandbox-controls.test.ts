import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageResource } from '@trunkline/core';
import { until } from '@trunkline/test-support';
import { startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';
import type { TestClient } from './support/test-client.ts';

describe("The sandbox's phones", () => {
  let server: ServerProcess;
  let client: TestClient;

  beforeAll(async () => {
    server = await startServer({
      env: { DATA_DIR: join(temporaryDirectory(), 'data'), API_KEY, RATE_LIMIT: '0' },
    });
    client = testClient(server.url);
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).toBe('');
  });

  async function connected(): Promise<string> {
    const { id } = await client.createInstance();
    await client.connect(id);
    return id;
  }
  const control = (id: string, name: string, body?: unknown) =>
    client.request('POST', `/sandbox/instances/${id}/${name}`, { body });
  const statusBecomes = (id: string, status: string) =>
    until(`the status is ${status}`, async () => (await client.instance(id)).status === status);

  it('scan the QR with a number and a name of your choice', async () => {
    const { id } = await client.createInstance();
    await client.request('POST', `/api/v1/instances/${id}/connect`);
    await statusBecomes(id, 'qr_required');
    const { status, body } = await control(id, 'scan', {
      phone_number: '+1 (555) 0123',
      profile_name: 'Ada',
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      data: { id, status: 'connected', phone_number: '15550123', profile_name: 'Ada' },
    });
  });

  it('get messages, from people and in groups', async () => {
    const id = await connected();
    const group = await control(id, 'groups', { name: 'Choir', participants_count: 7 });
    expect(group).toMatchObject({ status: 202, body: { data: { name: 'Choir', participants_count: 7 } } });
    const groupId = (group.body as { data: { id: string } }).data.id; // the specification defines this type

    expect((await control(id, 'messages', { from: '+1 555 0111', text: 'Hi' })).status).toBe(202);
    expect(
      (await control(id, 'messages', { from: '15550112', text: 'Hello all', group_id: groupId })).status,
    ).toBe(202);
    const received = await until('both messages are there', async () => {
      const { body } = await client.request('GET', `/api/v1/messages?instance=${id}&direction=inbound`);
      const { data } = body as { data: readonly object[] }; // the specification defines this type
      return data.length === 2 && data;
    });
    expect(received).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ from: '15550111', text: 'Hi', group_id: null, status: 'received' }),
        expect.objectContaining({ from: '15550112', text: 'Hello all', group_id: groupId }),
      ]),
    );
    expect(
      await control(id, 'messages', { from: '15550111', text: 'Hi', group_id: 'grp_unknown' }),
    ).toMatchObject({
      status: 404,
      body: { error: { code: 'GROUP_NOT_FOUND' } },
    });
  });

  it('get files, which the service keeps', async () => {
    const id = await connected();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const form = new FormData();
    form.set('from', '15550111');
    form.set('type', 'image');
    form.set('caption', 'Look');
    form.set('file', new File([png], 'dot.png', { type: 'image/png' }));
    expect((await control(id, 'messages', form)).status).toBe(202);

    const message = await until('the message is there', async () => {
      const { body } = await client.request('GET', `/api/v1/messages?instance=${id}&direction=inbound`);
      return (body as { data: readonly MessageResource[] }).data[0]; // the specification defines this type
    });
    expect(message).toMatchObject({
      type: 'image',
      caption: 'Look',
      media: { available: true, mime_type: 'image/png', size: png.length },
    });
    const headers = { Authorization: `Bearer ${API_KEY}` };
    const file = await fetch(`${server.url}/api/v1/messages/${message.id}/media`, { headers });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(png);
  });

  it('get messages of every kind, from people who hide their numbers, and quotes', async () => {
    const id = await connected();
    const sender = { network_id: 'lid-1', name: 'Ada', username: 'ada.l' };
    const payload = { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: null };
    const detail = { kind: 'location', payload };
    const inbound = (count: number) =>
      until(`${count} messages are there`, async () => {
        const { body } = await client.request('GET', `/api/v1/messages?instance=${id}&direction=inbound`);
        const { data } = body as { data: readonly MessageResource[] }; // the specification defines this type
        return data.length === count && data;
      });
    const sent_at = '2026-01-02T03:04:05+01:00';
    expect((await control(id, 'messages', { from: null, sender, detail, sent_at })).status).toBe(202);
    const [place] = await inbound(1);
    expect(place).toMatchObject({
      from: null,
      contact: { name: 'Ada', phone_number: null, username: 'ada.l' },
      type: 'text',
      ...detail,
      text: 'Location: Plaza Mayor, 40.41,-3.70',
      sent_at: '2026-01-02T02:04:05.000+00:00',
    });

    const form = new FormData();
    form.set('from', '15550123');
    form.set('sender', JSON.stringify(sender));
    form.set('type', 'audio');
    form.set('detail', JSON.stringify({ kind: 'voice', payload: { seconds: 3 } }));
    form.set('reply_to', place?.id ?? '');
    form.set('network_id', 'IN-1');
    form.set('file', new Blob(['OggS', new Uint8Array(24), 'OpusHead']));
    expect((await control(id, 'messages', form)).body).toEqual({ data: { network_id: 'IN-1' } });
    const [voice] = await inbound(2);
    expect(voice).toMatchObject({
      type: 'audio',
      kind: 'voice',
      payload: { seconds: 3 },
      reply_to: place?.id,
      contact: { ...place?.contact, phone_number: '15550123' },
    });

    const from = '15550123';
    for (const [body, field] of [
      [{ text: 'Hi' }, 'from'],
      [{ from: null, sender: { name: 'Ada' }, text: 'Hi' }, 'from'],
      [{ from }, 'text'],
      [{ from, detail: { kind: 'contact', payload: {} } }, 'detail'],
      [{ from, detail: { kind: 'song', payload: null } }, 'detail'],
      [{ from, text: 'Hi', sender: 'Ada' }, 'sender'],
      [{ from, text: 'Hi', sent_at: 'yesterday' }, 'sent_at'],
      [{ from, text: 'Hi', reply_to: 'msg_01k9z000000000000000000000' }, 'reply_to'],
    ] as const) {
      expect(await control(id, 'messages', body), field).toMatchObject({
        status: 422,
        body: {
          error: { code: 'VALIDATION_FAILED', details: { fields: { [field]: [expect.any(String)] } } },
        },
      });
    }
  });

  it('drop the connection, which comes back', async () => {
    const id = await connected();
    expect((await control(id, 'drop')).status).toBe(202);
    await statusBecomes(id, 'connected');
  });

  it('unlink the instance', async () => {
    const id = await connected();
    const { status, body } = await control(id, 'unlink');
    expect(status).toBe(202);
    expect(body).toMatchObject({
      data: { status: 'logged_out', paired: false, last_error: 'logged_out_from_phone' },
    });
  });

  it('fail permanently', async () => {
    const id = await connected();
    const { status, body } = await control(id, 'fail');
    expect(status).toBe(202);
    expect(body).toMatchObject({ data: { status: 'error', paired: true, last_error: 'sandbox_failure' } });
  });

  it.for(['scan', 'drop', 'unlink', 'fail'])('cannot %s an instance that is only created', async (name) => {
    const { id } = await client.createInstance();
    expect(await control(id, name)).toMatchObject({
      status: 409,
      body: { error: { code: 'INVALID_INSTANCE_STATE' } },
    });
  });

  it('are found only by the keys of their own workspace', async () => {
    const path = '/sandbox/instances/ins_01h455vb4pex5vsknk084sn02q/drop';
    expect(await client.request('POST', path)).toMatchObject({
      status: 404,
      body: { error: { code: 'INSTANCE_NOT_FOUND' } },
    });
    const stranger = await testClient(server.url, 'the-key-of-a-stranger').request('POST', path);
    expect(stranger).toMatchObject({ status: 401, body: { error: { code: 'INVALID_API_KEY' } } });
    expect(stranger.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it.for([
    ['scan', { phone_number: '0123456' }, 'phone_number'],
    ['scan', { profile_name: 1 }, 'profile_name'],
    ['messages', { text: 'Hi' }, 'from'],
    ['messages', { from: '+34 (0) 600 123 456', text: 'Hi' }, 'from'],
    ['messages', { from: '15550100', text: '' }, 'text'],
    ['messages', { from: '15550100', file: 'a file', type: 'image' }, 'file'],
    ['groups', { name: 'Choir', participants_count: 0 }, 'participants_count'],
    ['groups', { name: 'Choir \uD800', participants_count: 7 }, 'name'],
    ['groups', {}, 'name'],
    ['groups', [], 'body'],
  ] as const)('refuse what they do not understand: %s %j', async ([name, body, field]) => {
    const { id } = await client.createInstance();
    const response = await control(id, name, body);
    expect(response).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'VALIDATION_FAILED',
          request_id: expect.stringMatching(/^req_/),
          details: { fields: { [field]: [expect.any(String)] } },
        },
      },
    });
  });

  it('refuse bodies that are not JSON, or too large', async () => {
    const { id } = await client.createInstance();
    const post = (body: string) =>
      fetch(`${server.url}/sandbox/instances/${id}/messages`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${API_KEY}` },
        body,
      });
    expect((await post('{')).status).toBe(422);
    expect((await post(`"${'x'.repeat(17 * 1_048_576)}"`)).status).toBe(413);
  });

  it('accept only POST', async () => {
    const get = await client.request('GET', '/sandbox/instances/ins_1/scan');
    expect(get).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } });
    expect(get.headers.get('Allow')).toBe('POST');
    for (const path of ['/sandbox', '/sandbox/instances/ins_1/explode', '/', '/api/v2']) {
      expect(await client.request('POST', path)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
    }
  });

  it('do not affect the probes', async () => {
    expect(await client.request('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'up' } });
    expect(await client.request('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
  });
});
