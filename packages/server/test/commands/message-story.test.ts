import { describe, expect, it } from 'vitest';
import type { DeliveryResource } from '@trunkline/core';
import { must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runCommand } from '../support/command-process.ts';
import { MINUTE, SECOND, startStory } from '../support/story.ts';
import type { Story } from '../support/story.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const WELL = 'https://well.example.com/hook';
const ILL = 'https://ill.example.com/hook';

async function startWithMessage(): Promise<
  Story & {
    readonly id: string;
    readonly failing: string;
    fix(): void;
    delivery(): Promise<DeliveryResource>;
  }
> {
  const story = await startStory({
    startsAt: '2026-11-23T14:00:00Z',
    notifier: { notify: async () => {} },
  });
  const { api, clock, sender, instance } = story;
  await api.webhooks.create({ url: WELL, events: ['message.sent', 'message.read'] });
  const { id: failing } = await api.webhooks.create({ url: ILL, events: ['message.read'] });
  let isMended = false;
  let calls = 0;
  sender.respond(({ url }) => {
    if (url === WELL || isMended) return { errorCode: null, responseStatus: 204, responseBody: '' };
    calls += 1;
    return calls === 2
      ? { errorCode: 'TIMEOUT', responseStatus: null, responseBody: null }
      : { errorCode: 'HTTP_ERROR', responseStatus: 503, responseBody: 'database is locked' };
  });
  const { message } = await api.messages.send({ instance, to: '15550123', type: 'text', text: 'Hello' });
  await clock.advance(10 * SECOND);
  return {
    ...story,
    id: message.id,
    failing,
    fix() {
      isMended = true;
    },
    delivery: async () => must((await api.webhooks.deliveries(failing)).data[0]),
  };
}

/** Leaves out ids, which differ each time. */
function linesAbout(output: string): readonly string[] {
  const lines = output.split('\n');
  return lines
    .slice(lines.findIndex((line) => line.startsWith('It was read')))
    .map((line) => line.replaceAll(/\b(evt|whd)_\w{26}\b/g, '$1_…'));
}

describe('trunkline messages show', () => {
  it('lists each event with its deliveries, the attempts of each, and when the next one is', async () => {
    const { clock, id, run, delivery, fix, failing } = await startWithMessage();
    const first = linesAbout(await run('messages', 'show', id));
    expect(first).toEqual([
      'It was read at 14:00 UTC.',
      '',
      '2026-11-23T14:00:01.025+00:00  message.sent  evt_…',
      `  whd_…  success  ${WELL}`,
      '    2026-11-23T14:00:01.025+00:00  attempt 1: 204',
      '2026-11-23T14:00:01.050+00:00  message.delivered  evt_…',
      '2026-11-23T14:00:01.075+00:00  message.read  evt_…',
      `  whd_…  success  ${WELL}`,
      '    2026-11-23T14:00:01.075+00:00  attempt 1: 204',
      `  whd_…  retrying  ${ILL}, next attempt at 2026-11-23T14:01:01.075+00:00`,
      '    2026-11-23T14:00:01.075+00:00  attempt 1: 503',
    ]);

    // Makes an attempt by hand after the last attempt of the schedule, days after the message was read.
    for (let next = await delivery(); next.next_retry_at !== null; next = await delivery()) {
      clock.jump(Date.parse(next.next_retry_at) - clock.now() - SECOND);
      await clock.advance(5 * SECOND);
    }
    expect(linesAbout(await run('messages', 'show', id)).slice(-9)).toEqual([
      `  whd_…  exhausted  ${ILL}`,
      '    2026-11-23T14:00:01.075+00:00  attempt 1: 503',
      '    2026-11-23T14:01:01.075+00:00  attempt 2: TIMEOUT',
      '    2026-11-23T14:06:01.075+00:00  attempt 3: 503',
      '    2026-11-23T14:36:01.075+00:00  attempt 4: 503',
      '    2026-11-23T16:36:01.075+00:00  attempt 5: 503',
      '    2026-11-23T22:36:01.075+00:00  attempt 6: 503',
      '    2026-11-24T10:36:01.075+00:00  attempt 7: 503',
      '    2026-11-25T10:36:01.075+00:00  attempt 8: 503',
    ]);
    fix();
    await run('deliveries', 'retry', (await delivery()).id);
    await clock.advance(MINUTE);
    const late = linesAbout(await run('messages', 'show', id));
    expect(late.at(-10)).toBe(`  whd_…  success  ${ILL}`);
    expect(late.at(-1)).toMatch(/^    2026-11-25T10:36:\d\d\.\d{3}\+00:00  attempt 9 \(by hand\): 204$/);

    expect(await run('deliveries', 'list', failing)).toMatch(/  success  9 \(by hand\)  204$/m);
    expect(await run('deliveries', 'show', (await delivery()).id)).toMatch(
      /^attempts +9: 8 of 8 by the schedule, and 1 by hand$/m,
    );
  });

  it('has the same with --json, oldest event first, each delivery in full', async () => {
    const { id, run } = await startWithMessage();
    const { data, standing, events } = JSON.parse(await run('messages', 'show', id, '--json'));
    expect(data).toMatchObject({ id, status: 'read' });
    expect(standing).toMatchObject({ code: 'read', sentence: 'It was read at 14:00 UTC.' });
    expect(events).toMatchObject([
      { event: { type: 'message.sent' }, deliveries: [{ status: 'success', request: { url: WELL } }] },
      { event: { type: 'message.delivered' }, deliveries: [] },
      {
        event: { type: 'message.read', data: { message: { id } } },
        deliveries: [
          { status: 'success', next_retry_at: null },
          {
            status: 'retrying',
            attempts: 1,
            next_retry_at: '2026-11-23T14:01:01.075+00:00',
            request: { url: ILL },
            attempt_log: [{ attempt: 1, manual: false, response_status: 503, error_code: 'HTTP_ERROR' }],
          },
        ],
      },
    ]);
  });

  it.runIf(isLongForm)(
    'shows only the events, and says why, to a key that may not read webhooks',
    async () => {
      const { trunkline, workspaceId, url, id } = await startWithMessage();
      const scopes = ['messages:read'] as const;
      const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'reader', scopes });
      const show = (...more: readonly string[]) =>
        runCommand(['messages', 'show', id, ...more], {
          cwd: temporaryDirectory(),
          env: { TRUNKLINE_URL: url, TRUNKLINE_API_KEY: token },
        });
      const { code, stdout, stderr } = await show();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(linesAbout(stdout.trimEnd())).toEqual([
        'It was read at 14:00 UTC.',
        '',
        '2026-11-23T14:00:01.025+00:00  message.sent  evt_…',
        '  its deliveries need a key with webhooks:read',
        '2026-11-23T14:00:01.050+00:00  message.delivered  evt_…',
        '  its deliveries need a key with webhooks:read',
        '2026-11-23T14:00:01.075+00:00  message.read  evt_…',
        '  its deliveries need a key with webhooks:read',
      ]);
      const { events } = JSON.parse((await show('--json')).stdout);
      expect(events).toMatchObject([{ deliveries: null }, { deliveries: null }, { deliveries: null }]);
    },
  );
});
