import { describe, expect, it } from 'vitest';
import { oneOfEverything } from './one-of-everything.ts';
import { idOf } from './service.ts';

const SECOND = 1_000;

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly links: { readonly next: string | null };
  readonly meta: Readonly<Record<string, unknown>>;
}

function read(text: string): Page {
  return JSON.parse(text) as Page; // the response is a list
}

describe('messages by counterpart', () => {
  it('are listed by a number in any formatting, with the other filters and pages', async () => {
    const { call, ids, send } = await oneOfEverything();
    await send({ to: '15550199', text: 'one' });
    await send({ to: '15550199', text: 'two' });
    const list = async (query: string): Promise<Page> => read((await call('GET', `/messages?${query}`)).text);
    const formatted = encodeURIComponent('+1 (555) 0199');
    const all = await list(`counterpart=${formatted}`);
    expect(all.data.map(({ text }) => text)).toEqual(['two', 'one']);
    const first = await list(`counterpart=${formatted}&instance=${ids.instance}&direction=outbound&limit=1`);
    expect(first.data.map(({ text }) => text)).toEqual(['two']);
    const cursor = String(first.meta['next_cursor']);
    const more = await list(
      `counterpart=15550199&instance=${ids.instance}&direction=outbound&limit=1&cursor=${cursor}`,
    );
    expect(more.data.map(({ text }) => text)).toEqual(['one']);
    expect((await list('counterpart=15550199&type=image')).data).toEqual([]);
    expect((await list('counterpart=15550198')).data).toEqual([]);
    const foreign = await call('GET', `/messages?counterpart=15550198&cursor=${cursor}`);
    expect(foreign.status).toBe(422);
  });

  it('are refused for a counterpart that cannot be one', async () => {
    const { call } = await oneOfEverything();
    for (const counterpart of ['Ada', '12', `1${'0'.repeat(64)}`, 'msg_1', '%20']) {
      const { status, json } = await call('GET', `/messages?counterpart=${counterpart}`);
      expect(status).toBe(422);
      expect(json).toMatchObject({ error: { details: { fields: { counterpart: expect.any(Array) } } } });
    }
    for (const unknown of ['con_nobody', 'grp_nobody', 'con_01k9z000000000000000000000']) {
      expect(read((await call('GET', `/messages?counterpart=${unknown}`)).text).data).toEqual([]);
    }
  });
});

it('the chats of an instance lead to their messages', async () => {
  const { call, ids, send } = await oneOfEverything();
  await send({ to: '15550199', text: 'Hello\nthere' });
  const chats = read((await call('GET', `/instances/${ids.instance}/chats?limit=1`)).text);
  expect(chats.data).toEqual([
    {
      instance_id: ids.instance,
      counterpart: '15550199',
      group_id: null,
      contact: null,
      phone_number: '15550199',
      name: null,
      last_message: expect.objectContaining({ excerpt: 'Hello there', direction: 'outbound' }),
    },
  ]);
  const next = new URL(String(chats.links.next));
  const older = read((await call('GET', `/instances/${ids.instance}/chats${next.search}`)).text);
  expect(older.data).toMatchObject([{ counterpart: ids.contact, last_message: { direction: 'inbound' } }]);
});

it('a message shows its position, and an event its outcome at each endpoint', async () => {
  const { call, ids, send, service } = await oneOfEverything();
  const sent = await send({ to: '15550001', text: 'sent only' });
  await service.clock.advance(SECOND);
  const id = idOf(sent.json);
  const standing = await call('GET', `/messages/${id}/standing`);
  expect(standing.json).toMatchObject({
    data: { code: 'unconfirmed', sentence: 'The network has it. The phone has not confirmed it yet.' },
  });
  const events = read((await call('GET', `/messages/${id}/events`)).text).data;
  const deliveries = read((await call('GET', `/events/${String(events[0]?.['id'])}/deliveries`)).text).data;
  expect(deliveries).toMatchObject([{ webhook_id: ids.webhook, event: { id: events[0]?.['id'] } }]);
});
