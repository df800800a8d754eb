import { must } from '@trunkline/test-support';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { PageResult, WorkspaceApi } from '../src/index.ts';
import { STEP, connectInstance, listen, only, sendText, startHarness } from './support/harness.ts';

/** Follows the cursors in one direction from a page, and returns the ids on each page. */
async function walk<Row extends { readonly id: string }>(
  from: PageResult<Row>,
  way: 'nextCursor' | 'prevCursor',
  read: (cursor: string) => Promise<PageResult<Row>>,
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  for (let page = from; ;) {
    pages.push(page.data.map(({ id }) => id));
    const cursor = page[way];
    if (cursor === null) return pages;
    page = await read(cursor);
  }
}

async function withMessages(count: number) {
  const harness = await startHarness();
  const instance = await connectInstance(harness);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await sendText(harness, instance)).message.id);
  return { ...harness, instance, newestFirst: ids.toReversed() };
}

describe('a list of messages', () => {
  it('goes page by page from the newest to the oldest, and back', async () => {
    const { api, newestFirst } = await withMessages(7);
    const list = (cursor?: string) => api.messages.list({ limit: 3, cursor });
    const older = await walk(await list(), 'nextCursor', list);
    expect(older.map((ids) => ids.length)).toEqual([3, 3, 1]);
    expect(older.flat()).toEqual(newestFirst);

    const first = await list();
    expect(first).toMatchObject({ perPage: 3, prevCursor: null });
    const second = await list(first.nextCursor ?? '');
    const last = await list(second.nextCursor ?? '');
    expect(last.nextCursor).toBeNull();
    const newer = await walk(last, 'prevCursor', list);
    expect(newer.toReversed().flat()).toEqual(newestFirst);
  });

  it('shows new rows when paging back, and no row twice when paging on', async () => {
    const { api, instance, newestFirst } = await withMessages(4);
    const first = await api.messages.list({ limit: 2 });
    const { message } = await sendText({ api }, instance);
    const second = await api.messages.list({ limit: 2, cursor: first.nextCursor ?? '' });
    expect(second.data.map(({ id }) => id)).toEqual(newestFirst.slice(2));
    const back = await api.messages.list({ limit: 10, cursor: second.prevCursor ?? '' });
    expect(back.data.map(({ id }) => id)).toEqual([message.id, ...newestFirst.slice(0, 2)]);
  });

  it('is filtered', async () => {
    const harness = await withMessages(2);
    await harness.clock.advance(10 * STEP);
    await sendText(harness, harness.instance, '34600000001');
    await harness.sandbox.phone(harness.instance).receive({ from: '34600000009', text: 'Hi' });
    await harness.clock.advance(2 * STEP);
    const other = await connectInstance(harness);
    const count = async (query: Parameters<typeof harness.api.messages.list>[0]) =>
      (await harness.api.messages.list(query)).data.length;
    expect(await count({})).toBe(4);
    expect(await count({ status: 'read' })).toBe(2);
    expect(await count({ status: 'sent,received' })).toBe(2);
    expect(await count({ direction: 'inbound' })).toBe(1);
    expect(await count({ direction: 'inbound', status: 'sent' })).toBe(0);
    expect(await count({ instance: harness.instance })).toBe(4);
    expect(await count({ instance: other })).toBe(0);
    expect(await count({ type: 'image' })).toBe(0);
    expect(await count({ limit: '3' })).toBe(3);
  });

  it('begins before a time, and continues from there both ways', async () => {
    const harness = await startHarness();
    const { api, clock } = harness;
    const instance = await connectInstance(harness);
    const sent: { readonly id: string; readonly created_at: string }[] = [];
    for (let i = 0; i < 6; i++) {
      sent.unshift((await sendText(harness, instance)).message);
      await clock.advance(1);
    }
    const newestFirst = sent.map(({ id }) => id);
    for (const [place, { created_at: before }] of sent.entries()) {
      const page = await api.messages.list({ before, limit: 2 });
      expect(page.data.map(({ id }) => id)).toEqual(newestFirst.slice(place + 1, place + 3));
      const list = (cursor: string) => api.messages.list({ before, limit: 2, cursor });
      const older = await walk(page, 'nextCursor', list);
      expect(older.flat()).toEqual(newestFirst.slice(place + 1));
      if (page.data.length === 0) continue;
      const newer = await walk(page, 'prevCursor', list);
      expect(newer.slice(1).toReversed().flat()).toEqual(newestFirst.slice(0, place + 1));
    }
    const all = { before: '9999-12-31T23:59:59-08:00', instance, status: 'queued,sent,delivered,read' };
    expect((await api.messages.list(all)).data.map(({ id }) => id)).toEqual(newestFirst);
    expect((await api.messages.list({ before: '0001-01-01T00:00:00Z' })).data).toEqual([]);
  });

  it.each([
    ['a word', 'yesterday'],
    ['a day', '2026-11-22'],
    ['a time without its zone', '2026-11-22T09:30:00'],
    ['a day that is not in the calendar', '2026-02-30T09:30:00Z'],
    ['a megabyte', `2026-11-22T09:30:00.${'0'.repeat(1_000_000)}Z`],
    ['a number', 1_763_803_800_000],
  ])('refuses to begin before %s', async (_, before) => {
    const { api } = await startHarness();
    const query: object = { before };
    await expect(api.messages.list(query)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { before: [expect.any(String)] } },
    });
  });

  it('refuses a cursor that was made for another filter', async () => {
    const { api, instance } = await withMessages(3);
    const { nextCursor } = await api.messages.list({ limit: 1, status: 'queued,sent', instance });
    const cursor = nextCursor ?? '';
    expect(
      (await api.messages.list({ limit: 2, status: 'sent,queued', instance, cursor })).data,
    ).toHaveLength(2);
    const refused = {
      code: 'VALIDATION_FAILED',
      details: { fields: { cursor: [expect.stringContaining('Was made for another filter')] } },
    };
    await expect(api.messages.list({ status: 'queued', instance, cursor })).rejects.toMatchObject(refused);
    await expect(api.messages.list({ status: 'queued,sent', cursor })).rejects.toMatchObject(refused);
    await expect(api.messages.list({ cursor })).rejects.toMatchObject(refused);
  });

  it.each([
    'x',
    'AAAA',
    '!!!!',
    'bm90IGpzb24',
    btoa('[]'),
    btoa('["older"]'),
    btoa(JSON.stringify(['sideways', 'msg_01jgfjjv00fsnvdjzy0jcm5xh8', '[null,null,null,null]'])),
    btoa(JSON.stringify(['older', "msg_' OR 1=1 --", '[null,null,null,null]'])),
    btoa(JSON.stringify(['older', 'whd_01jgfjjv00fsnvdjzy0jcm5xh8', '[null,null,null,null]'])),
    btoa(JSON.stringify(['older', null, '[null,null,null,null]'])),
    'ÿ',
  ])('refuses %j as a cursor', async (cursor) => {
    const { api } = await startHarness();
    await expect(api.messages.list({ cursor: cursor.replaceAll('=', '') })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      status: 422,
      details: { fields: { cursor: [expect.any(String)] } },
    });
  });

  it('has cursors of at most 512 characters', async () => {
    const { api, instance } = await withMessages(2);
    const status = 'queued,sent,delivered,read,failed,received';
    const { nextCursor } = await api.messages.list({
      limit: 1,
      instance,
      direction: 'outbound',
      type: 'text',
      status,
    });
    expect(nextCursor?.length).toBeLessThanOrEqual(512);
  });
});

describe('a list of deliveries', () => {
  it('goes page by page, is filtered, and refuses the cursor of another list', async () => {
    const { api, clock } = await startHarness({ roles: only('api', 'webhooks') });
    const [webhook, other] = [await listen({ api }), await listen({ api })];
    for (let i = 0; i < 5; i++) await api.webhooks.test(webhook.id);
    await clock.settle();
    const list = (cursor?: string) =>
      api.webhooks.deliveries(webhook.id, { limit: 2, event: 'webhook.test', status: 'success', cursor });
    const pages = await walk(await list(), 'nextCursor', list);
    expect(pages.map((ids) => ids.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual([...new Set(pages.flat())].toSorted().toReversed());

    const { nextCursor } = await list();
    const cursor = nextCursor ?? '';
    await expect(api.webhooks.deliveries(webhook.id, { cursor })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const elsewhere = api.webhooks.deliveries(other.id, { event: 'webhook.test', status: 'success', cursor });
    await expect(elsewhere).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await api.webhooks.deliveries(webhook.id, { event: 'nope' })).toEqual({
      data: [],
      perPage: 25,
      nextCursor: null,
      prevCursor: null,
    });
  });
});

/** The operations of a group that resolve with an array instead of an object. */
type BareLists<Group> = {
  [Name in keyof Group]: Group[Name] extends (...args: never[]) => Promise<readonly unknown[]> ? Name : never;
}[keyof Group];

describe('the lists of instances, groups, webhooks and deliveries', () => {
  it('have their rows in data, as those with pages have', async () => {
    expectTypeOf<
      { [Group in keyof WorkspaceApi]: BareLists<WorkspaceApi[Group]> }[keyof WorkspaceApi]
    >().toBeNever();
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    const { data: events } = await harness.api.instances.events(instance);
    expect(await harness.api.instances.list()).toMatchObject({ data: [{ id: instance }] });
    expect(await harness.api.instances.groups(instance)).toMatchObject({
      data: [{ name: 'Family' }, { name: 'Team' }],
    });
    expect(await harness.api.webhooks.list()).toMatchObject({ data: [] });
    expect(await harness.api.events.deliveries(must(events[0]).id)).toEqual({ data: [] });
  });

  it('instances come oldest first', async () => {
    const { api } = await startHarness();
    const ids = [
      await api.instances.create(),
      await api.instances.create(),
      await api.instances.create(),
    ].map(({ id }) => id);
    expect((await api.instances.list()).data.map(({ id }) => id)).toEqual(ids);
  });

  it('workspaces come oldest first, a hundred at a time', async () => {
    const { trunkline } = await startHarness();
    for (let i = 0; i < 105; i++) await trunkline.admin.workspaces.create({ name: `W${i}` });
    const first = await trunkline.admin.workspaces.list();
    const rest = await trunkline.admin.workspaces.list(first.at(-1)?.id);
    expect([first.length, rest.length]).toEqual([100, 6]);
    expect(rest.at(-1)).toMatchObject({ name: 'W104' });
  });
});
