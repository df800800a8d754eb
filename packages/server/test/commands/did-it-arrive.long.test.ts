import { describe, expect, it } from 'vitest';
import { expectRecorded } from '../support/recorded-page.ts';
import { HOUR, MINUTE, SECOND, startStory } from '../support/story.ts';
import type { Story } from '../support/story.ts';

const PAGE = new URL('../../../../docs/stories.md', import.meta.url);

const HOOK = 'https://shop.example.com/hook';
const CONTENT = { type: 'text', text: 'Your table is booked for 20:00.' } as const;

const story = (): Promise<Story> =>
  startStory({ startsAt: '2026-11-23T14:00:00Z', notifier: { notify: async () => {} } });

// With RECORD=1, the tests write their recordings into the page.
describe('Did it arrive? The page of the documentation shows what the record says when', () => {
  it('the customer has read it, the phone is off, or the network refused it', async () => {
    const { api, clock, instance, run, recording } = await story();
    const ids: string[] = [];
    for (const to of ['15550123', '15550001', '15550003']) {
      ids.push((await api.messages.send({ instance, to, ...CONTENT })).message.id);
      await clock.advance(MINUTE);
    }
    await clock.advance(10 * MINUTE);
    const [read = '', unconfirmed = '', failed = ''] = ids;
    expect(await run('chats', instance)).toMatch(/^15550003 .*\n15550001 .*\n15550123 /m);
    expect(await run('messages', 'list', '--counterpart', '+15550123')).toContain(`\n${read} `);
    expect(await run('messages', 'show', read)).toMatch(/^It was read at 14:00 UTC\.$/m);
    expect(await run('messages', 'show', unconfirmed)).toMatch(/^The phone has not confirmed it since /m);
    expect(await run('messages', 'show', failed)).toMatch(/^It failed at 14:02 UTC: /m);
    expectRecorded(PAGE, 'where messages stand', recording());
  });

  it('the number was down meanwhile', async () => {
    const { api, clock, instance, phone, setReachable, run, recording } = await story();
    await clock.advance(MINUTE);
    setReachable(false);
    await phone.drop();
    await clock.advance(MINUTE);
    const { message } = await api.messages.send({ instance, to: '15550123', ...CONTENT });
    await clock.advance(5 * MINUTE);
    expect(await run('messages', 'show', message.id)).toMatch(
      /^It waits: the number has been disconnected /m,
    );
    setReachable(true);
    await clock.advance(5 * MINUTE);
    expect(await run('messages', 'show', message.id)).toMatch(/^It was read at 14:07 UTC\.$/m);
    expectRecorded(PAGE, 'a number that was down meanwhile', recording());
  });

  it('the webhook of the app failed for two days', async () => {
    const { api, clock, sender, instance, run, firstLines, recording } = await story();
    const { id: webhook } = await api.webhooks.create({ url: HOOK, events: ['message.read'] });
    sender.respond(() => ({
      errorCode: 'HTTP_ERROR',
      responseStatus: 503,
      responseBody: 'database is locked',
    }));
    const { message } = await api.messages.send({ instance, to: '15550123', ...CONTENT });
    await clock.advance(MINUTE);
    const newest = async () => {
      const [delivery] = (await api.webhooks.deliveries(webhook)).data;
      if (!delivery) throw new Error('Nothing was sent to the webhook.');
      return delivery;
    };
    for (let next = await newest(); next.next_retry_at !== null; next = await newest()) {
      clock.jump(Date.parse(next.next_retry_at) - clock.now() - SECOND);
      await clock.advance(5 * SECOND);
    }
    const exhausted = await newest();
    expect(exhausted).toMatchObject({ attempts: 8, status: 'exhausted' });
    expect(await run('messages', 'show', message.id)).toMatch(/ attempt 8: 503$/m);
    await run('deliveries', 'list', webhook, '--status', 'exhausted');
    clock.jump(2 * HOUR);
    sender.respond(() => ({ errorCode: null, responseStatus: 204, responseBody: '' }));
    await run('deliveries', 'retry-failed', webhook, '--yes');
    await clock.advance(5 * SECOND);
    expect((await newest()).status).toBe('success');
    await firstLines(26, 'deliveries', 'show', exhausted.id);
    const [read] = (await api.messages.events(message.id)).data;
    expect(exhausted.event.id).toBe(read?.id);
    expectRecorded(PAGE, 'a webhook that failed for two days', recording());
  });
});
