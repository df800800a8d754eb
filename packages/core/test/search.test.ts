import { expect, it } from 'vitest';
import type { MessageQuery } from '../src/index.ts';
import { connected, SECOND } from './support/harness.ts';

/** A service with three messages to two people, the second of which is an image. */
async function withMessages() {
  const { harness, id } = await connected();
  const texts = ['Your invoice, Señora', 'The second invoice', 'Something else'];
  const sent: string[] = [];
  for (const [index, text] of texts.entries()) {
    const to = index === 0 ? '15550111' : '15550122';
    const { message } = await harness.api.messages.send({ instance: id, to, type: 'text', text });
    sent.push(message.id);
    await harness.clock.advance(2 * SECOND);
  }
  const find = async (query: MessageQuery) => {
    const page = await harness.api.messages.list(query);
    return page.data.map((message) => sent.indexOf(message.id));
  };
  return { harness, id, sent, find };
}

it('a search finds messages by the beginnings of words, newest first, next to other filters', async () => {
  const { harness, id, find } = await withMessages();
  expect(await find({ q: 'INVO' })).toEqual([1, 0]);
  expect(await find({ q: 'senora your' })).toEqual([0]);
  expect(await find({ q: '15550122' })).toEqual([2, 1]);
  expect(await find({ q: '+1 555 0111' })).toEqual([0]);
  expect(await find({ q: 'invoice', instance: id, direction: 'outbound', counterpart: '15550122' })).toEqual([
    1,
  ]);
  expect(await find({ q: 'invoice', direction: 'inbound' })).toEqual([]);
  expect(await find({ q: 'invoice', origin: 'device' })).toEqual([]);
  expect(await find({ q: 'nowhere' })).toEqual([]);
  for (const q of ['"', '* OR', "'; --", 'invoice AND', '(', '\0', '\uD800', '🎈']) {
    expect(await find({ q }), q).toEqual([]);
  }
  for (const q of ['', 'x'.repeat(101)]) {
    await expect(harness.api.messages.list({ q })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  }
});

it('a search has pages in both directions, whose cursors are for the same query only', async () => {
  const { harness, find } = await withMessages();
  const q = 'invoice';
  const first = await harness.api.messages.list({ q, limit: 1 });
  expect(first).toMatchObject({ data: [{ text: 'The second invoice' }], prevCursor: null });
  const cursor = first.nextCursor ?? '';
  expect(cursor.length).toBeLessThan(512);
  const second = await harness.api.messages.list({ q, limit: 1, cursor });
  expect(second).toMatchObject({ data: [{ text: 'Your invoice, Señora' }], nextCursor: null });
  expect(await find({ q, limit: 1, cursor: second.prevCursor ?? '' })).toEqual([1]);
  const other = harness.api.messages.list({ q: 'voice', limit: 1, cursor });
  await expect(other).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

it('a search for the id of a message finds that message, if it passes the filters', async () => {
  const { harness, sent, find } = await withMessages();
  const [q = ''] = sent;
  expect(await find({ q })).toEqual([0]);
  expect(await find({ q: ` ${q} `, counterpart: '15550111', direction: 'outbound' })).toEqual([0]);
  expect(await find({ q, counterpart: '15550122' })).toEqual([]);
  expect(await find({ q, direction: 'inbound' })).toEqual([]);
  expect(await find({ q, origin: 'device' })).toEqual([]);
  expect(await find({ q, before: '2000-01-01T00:00:00Z' })).toEqual([]);
  expect(await find({ q: q.replace(/.$/, 'z') })).toEqual([]);
  const other = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
  expect((await harness.trunkline.workspace(other.id).messages.list({ q })).data).toEqual([]);
});
