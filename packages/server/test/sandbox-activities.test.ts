import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPT_IN_EVENT_TYPES } from '@trunkline/core';
import type { MessageResource } from '@trunkline/core';
import { eventually, only, until } from '@trunkline/test-support';
import { startHarness } from './support/harness.ts';
import type { Harness, RunningServer } from './support/harness.ts';

describe("What people do with the sandbox's phones", () => {
  let harness: Harness;
  let server: RunningServer;

  beforeAll(async () => {
    ({ harness, server } = await startHarness({}, OPT_IN_EVENT_TYPES));
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    const logged = server.stderr().trimEnd().split('\n');
    expect(logged).toEqual([expect.stringContaining('WEBHOOK_URL_POLICY=local lets webhooks go')]);
  });

  const control = (name: string, body: unknown) =>
    server.client.request('POST', `/sandbox/instances/${harness.instance}/${name}`, { body });
  const listed = async (filter: string): Promise<readonly MessageResource[]> => {
    const path = `/api/v1/messages?instance=${harness.instance}&${filter}`;
    const { body } = await server.client.request('GET', path);
    return (body as { data: readonly MessageResource[] }).data; // the specification defines this type
  };
  const received = async (from: string, text: string): Promise<MessageResource> => {
    expect((await control('messages', { from, text })).status).toBe(202);
    return until('the message is there', async () =>
      (await listed('direction=inbound')).find((message) => message.text === text),
    );
  };
  /** Resolves with the data of the only matching event of this type. */
  const reported = (type: string, data: object): Promise<unknown> =>
    eventually(() => {
      const events = harness.receiver.requests.filter(({ event }) => event.type === type);
      const matching = events.filter(({ event }) =>
        expect.objectContaining(data).asymmetricMatch(event.data),
      );
      return only(matching).event.data;
    });

  it('reactions are reported, by others and by the owner', async () => {
    const { id } = await received('15550111', 'Party at eight?');
    const reaction = { message: id, from: '15550111', emoji: '🎉' };
    expect(await control('reactions', reaction)).toMatchObject({ status: 202, body: { data: { id } } });
    const data = await reported('message.reaction', { message: expect.objectContaining({ id }) });
    expect(data).toMatchObject({
      message: { text: 'Party at eight?' },
      reaction: { emoji: '🎉', own: false, contact: { phone_number: '15550111' } },
    });
    await control('reactions', { message: id, emoji: null });
    await reported('message.reaction', {
      reaction: expect.objectContaining({ emoji: null, own: true, contact: null }),
    });
  });

  it('votes in a poll are reported and listed', async () => {
    const payload = { question: 'When?', options: ['Monday', 'Tuesday'], multiple: true };
    const json = { instance: harness.instance, to: '15550111', kind: 'poll', payload };
    const { body } = await server.client.request('POST', '/api/v1/messages', { body: json });
    const { id } = (body as { data: MessageResource }).data; // the specification defines this type
    const get = async (path: string): Promise<unknown> =>
      (await server.client.request('GET', `/api/v1/messages/${id}${path}`)).body;
    await eventually(async () => expect(await get('')).not.toMatchObject({ data: { status: 'queued' } }));
    const ballot = { message: id, from: '15550111', options: ['Tuesday'] };
    expect(await control('votes', ballot)).toMatchObject({ status: 202, body: { data: { id } } });
    await reported('message.poll_voted', {
      vote: expect.objectContaining({ options: ['Tuesday'], own: false }),
    });
    expect(await get('/votes')).toMatchObject({ data: [{ options: ['Tuesday'] }] });
  });

  it('people ask to be let into a group, and the number gets the link of another', async () => {
    const group = { name: 'Choir', participants_count: 3 };
    const { body: added } = await control('groups', group);
    const { id } = (added as { data: { id: string } }).data; // the specification defines this type
    expect(await control('join-requests', { group_id: id, from: '15550111' })).toMatchObject({
      status: 202,
      body: { data: [{ phone_number: '15550111' }] },
    });
    expect(await control('join-requests', { group_id: 'grp_1', from: '15550111' })).toMatchObject({
      status: 404,
      body: { error: { code: 'GROUP_NOT_FOUND' } },
    });
    const { body } = await control('group-offers', { name: 'Orchestra', asks_admin: true });
    const { link } = (body as { data: { link: string } }).data;
    const path = `/api/v1/instances/${harness.instance}/groups/join`;
    expect(await server.client.request('POST', path, { body: { invite: link } })).toMatchObject({
      status: 200,
      body: { data: { outcome: 'requested' } },
    });
  });

  it('edits and deletions change what the API shows', async () => {
    const { id } = await received('15550112', 'See you at nine');
    expect((await control('edits', { message: id, from: '15550112', text: 'See you at ten' })).status).toBe(
      202,
    );
    await reported('message.edited', { message: expect.objectContaining({ id, text: 'See you at ten' }) });
    expect(await server.client.message(id)).toMatchObject({
      text: 'See you at ten',
      edited_at: expect.any(String),
    });
    // A stranger's deletion has no effect, so only the later deletion is reported.
    await control('deletions', { message: id, from: '15550666' });
    await control('deletions', { message: id, from: '15550112' });
    const data = await reported('message.deleted', { message: expect.objectContaining({ id }) });
    expect(data).toMatchObject({ deletion: { contact: { phone_number: '15550112' }, own: false } });
    expect(await server.client.message(id)).toMatchObject({ text: null, deleted_at: expect.any(String) });
  });

  it('a person who hides their number can do the same', async () => {
    const sender = { network_id: 'lid-1', name: 'Ada' };
    expect((await control('messages', { from: null, sender, text: 'Guess who' })).status).toBe(202);
    const { id } = await until('the message is there', async () =>
      (await listed('direction=inbound')).find(({ text }) => text === 'Guess who'),
    );
    await control('edits', { message: id, from: 'lid-1', text: 'It is me' });
    const data = await reported('message.edited', {
      message: expect.objectContaining({ id, text: 'It is me' }),
    });
    expect(data).toMatchObject({ edit: { contact: { name: 'Ada', phone_number: null } } });
  });

  it('a message that the API sent is edited with the phone', async () => {
    const { id } = await server.client.send({ instance: harness.instance, text: 'Helo' });
    await until('the message is read', async () => (await server.client.message(id)).status === 'read');
    await control('edits', { message: id, text: 'Hello' });
    await reported('message.edited', {
      message: expect.objectContaining({ id, text: 'Hello', status: 'read' }),
      edit: expect.objectContaining({ own: true }),
    });
  });

  it('a message that was typed on the phone is listed if it is asked for, and read without an event', async () => {
    const { status, body } = await control('echoes', { to: '15550113', text: 'On my way' });
    expect({ status, body }).toMatchObject({
      status: 202,
      body: { data: { network_id: expect.any(String) } },
    });
    const data = await reported('message.echo', { message: expect.objectContaining({ text: 'On my way' }) });
    expect(data).toMatchObject({ message: { to: '15550113', origin: 'device', status: 'sent' } });
    const [message] = await until('it is read', async () => {
      const read = await listed('origin=device&status=read');
      return read.some(({ text }) => text === 'On my way') && read.filter(({ text }) => text === 'On my way');
    });
    expect(message).toMatchObject({ origin: 'device', read_at: expect.any(String) });
  });

  it('calls and messages for the phone alone are reported', async () => {
    expect((await control('calls', { from: '15550114', video: true })).status).toBe(202);
    await reported('call.received', {
      call: expect.objectContaining({
        instance_id: harness.instance,
        contact: expect.objectContaining({ phone_number: '15550114' }),
        video: true,
      }),
    });
    await control('undecryptable-messages', { from: '15550115', reason: 'no_key' });
    await reported('message.undecryptable', {
      undecryptable: expect.objectContaining({
        contact: expect.objectContaining({ phone_number: '15550115' }),
        reason: 'no_key',
      }),
    });
  });

  it.for([
    ['reactions', { message: 'msg_1' }, 'emoji'],
    ['votes', { message: 'msg_1' }, 'options'],
    ['join-requests', { group_id: 'grp_1' }, 'from'],
    ['group-offers', {}, 'name'],
    ['edits', { message: 'msg_1', text: '' }, 'text'],
    ['deletions', {}, 'message'],
    ['echoes', { text: 'Hi' }, 'to'],
    ['echoes', { to: '15550111', group_id: 'grp_1', text: 'Hi' }, 'to'],
    ['calls', { from: 'nobody' }, 'from'],
    ['undecryptable-messages', { from: '15550111', reason: 'secret' }, 'reason'],
  ] as const)('refuse what they do not understand: %s %j', async ([name, body, field]) => {
    expect(await control(name, body)).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: { fields: { [field]: [expect.any(String)] } } } },
    });
  });

  it('know only messages of their instance', async () => {
    const other = await server.client.createInstance();
    const { id } = await received('15550116', 'Here');
    const path = `/sandbox/instances/${other.id}/deletions`;
    for (const message of [id, 'msg_none'])
      expect(await server.client.request('POST', path, { body: { message } })).toMatchObject({
        status: 404,
        body: { error: { code: 'MESSAGE_NOT_FOUND' } },
      });
  });
});
