import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import type { Notification } from '@trunkline/core';
import { until } from '@trunkline/test-support';
import { emailNotifier } from '../../src/start/email-notifier.ts';
import { startServer } from '../support/server-process.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { HOUR, MINUTE, recordedTerminal, SECOND, startStory } from '../support/story.ts';
import { expectRecorded } from '../support/recorded-page.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { API_KEY, testClient } from '../support/test-client.ts';

const PAGE = new URL('../../../../docs/stories.md', import.meta.url);

// With RECORD=1, the tests write their recordings into the page.
describe('Why did it go down? The page of the documentation shows what the record says when', () => {
  const notifier = { notify: async () => {} };

  it('the connection dropped, and was back', async () => {
    const { clock, instance, phone, run, recording } = await startStory({
      startsAt: '2026-11-22T18:00:00Z',
      notifier,
    });
    await clock.advance(8 * HOUR + 12 * MINUTE);
    await phone.drop();
    await clock.advance(10 * SECOND);
    await run('instances', 'list');
    const history = await run('instances', 'history', instance);
    expect(history).toMatch(/connected → connecting .*\n.*connecting → connected/);
    expectRecorded(PAGE, 'a drop', recording());
  });

  it('the network was out of reach for more than 15 minutes', async () => {
    const notifications: Notification[] = [];
    const { trunkline, workspaceId, clock, instance, phone, setReachable, run, show, recording } =
      await startStory({
        startsAt: '2026-11-22T18:00:00Z',
        notifier: { notify: async (notification) => void notifications.push(notification) },
      });
    await trunkline.admin.members.create({
      workspaceId,
      email: 'ada@example.com',
      emailVerified: true,
      administersWebhooks: true,
    });
    await clock.advance(8 * HOUR + 12 * MINUTE);
    setReachable(false);
    await phone.drop();
    await clock.advance(20 * MINUTE);
    expect(notifications.map(({ kind }) => kind)).toEqual(['instance_down']);
    await run('instances', 'show', instance);
    setReachable(true);
    await clock.advance(20 * MINUTE);
    expect(notifications.map(({ kind }) => kind)).toEqual(['instance_down', 'instance_up']);
    const history = await run('instances', 'history', instance);
    expect(history).toMatch(/disconnected → connected/);
    expectRecorded(PAGE, 'an outage', recording());

    const { url, emails } = await startSmtpServer();
    const email = emailNotifier(url, silentLogger);
    for (const notification of notifications) await email.notify(notification);
    const [down = '', up = ''] = emails.map(({ source }) => show(emailText(source)));
    expectRecorded(PAGE, 'the email that a number is down', down);
    expectRecorded(PAGE, 'the email that it is connected again', up);
  });

  it('the phone unlinked the number', async () => {
    const { api, clock, instance, phone, during, run, recording } = await startStory({
      startsAt: '2026-11-22T18:00:00Z',
      notifier,
    });
    await clock.advance(8 * HOUR + 12 * MINUTE);
    await phone.unlink();
    await clock.advance(5 * MINUTE);
    await run('instances', 'show', instance);
    await during(api.instances.connect(instance));
    await clock.advance(30 * SECOND);
    await phone.scan({ phoneNumber: '15550142', profileName: 'Acme' });
    await clock.settle();
    const history = await run('instances', 'history', instance);
    expect(history).toMatch(/connected → logged_out .*\(logged_out_from_phone\)/);
    expectRecorded(PAGE, 'a logout from the phone', recording());
  });

  it('the process that held the number was killed', async () => {
    const DATA_DIR = join(temporaryDirectory(), 'data');
    const start = (time: string): ReturnType<typeof startServer> =>
      startServer({
        env: { DATA_DIR, API_KEY, RATE_LIMIT: '0', LOG_LEVEL: 'info' },
        aheadMs: Date.parse(time) - Date.now(),
      });
    const killed = await start('2026-11-23T02:00:00Z');
    const before = testClient(killed.url);
    const { id } = await before.createInstance();
    await before.connect(id);
    await killed.kill();

    const heir = await start('2026-11-23T03:00:00Z');
    await until(
      'it is connected again',
      async () => (await testClient(heir.url).instance(id)).status === 'connected',
    );
    const terminal = recordedTerminal({ TRUNKLINE_URL: heir.url, TRUNKLINE_API_KEY: API_KEY });
    const history = await terminal.run('instances', 'history', id);
    const names = [killed, heir].map((server) => nameOf(server.stdout() + server.stderr()));
    expect(history).toContain(`It went from process ${names[0]} to ${names[1]}.`);
    expect(await heir.stop()).toBe(0);
    expectRecorded(
      PAGE,
      'a process that was killed',
      terminal
        .recording()
        .replaceAll(names[0] ?? '', 'F7RwN2nY4xKq8ZtE')
        .replaceAll(names[1] ?? '', 'b3JmQv9LhU0sAc5D')
        // Both servers run on the machine's clock, so only the hour is the same each time.
        .replaceAll(/(T0[23]):\d\d:\d\d\.\d{3}/g, '$1:00:00.000'),
    );
  });
});

function nameOf(log: string): string {
  const name = /"process":"([\w-]{16})"/.exec(log)?.[1];
  if (name === undefined) throw new Error(`The server did not log its name: ${log}`);
  return name;
}

function emailText(source: string): string {
  const [headers = '', ...body] = source.replaceAll('\r\n', '\n').split('\n\n');
  const subject = /^Subject: .*$/m.exec(headers)?.[0];
  return `${subject}\n\n${body.join('\n\n').trimEnd()}\n`;
}
