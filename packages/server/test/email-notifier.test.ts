import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '@trunkline/core';
import type { InstanceNotification, Logger, WebhookNotification } from '@trunkline/core';
import { elapsing, eventually } from '@trunkline/test-support';
import { emailNotifier } from '../src/start/email-notifier.ts';
import { startSmtpServer } from './support/smtp-server.ts';

const notification: WebhookNotification = {
  id: 'ntc_1',
  kind: 'webhook_failing',
  recipients: ['ada@example.com', 'grace@example.com'],
  workspace: { id: 'ten_1', name: 'Acme' },
  webhook: { id: 'wh_1', url: 'https://example.com/hook', failingSince: Date.UTC(2026, 10, 20, 21, 15) },
};

function recordingLogger(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (facts: object, message: string): void => void lines.push(JSON.stringify([facts, message]));
  return { logger: { ...silentLogger, warn: write, error: write }, lines };
}

const down: InstanceNotification = {
  id: 'ntc_2',
  kind: 'instance_down',
  recipients: ['ada@example.com'],
  workspace: { id: 'ten_1', name: 'Acme' },
  instance: {
    id: 'ins_1',
    name: 'Front\r\ndesk',
    phoneNumber: null,
    status: 'logged_out',
    lastError: 'logged_out_from_phone',
    downSince: Date.UTC(2026, 10, 20, 21, 15),
    upSince: null,
    next: { kind: 'pair', at: null },
  },
};

describe('An email about a number', () => {
  it('says since when it is down, why, what to do, and where to look', async () => {
    const { url, emails } = await startSmtpServer();
    await emailNotifier(url, silentLogger).notify(down);
    const source = emails[0]?.source;
    expect(source).toContain('Subject: A number is down\r\n');
    expect(source).toContain('not been connected since Fri, 20 Nov 2026 21:15:00 GMT');
    expect(source).toContain('Instance:  Front desk (ins_1)\r\n');
    expect(source).toContain('Number:    none is linked any more\r\n');
    expect(source).toContain('Status:    logged_out (logged_out_from_phone)\r\n');
    expect(source).toMatch(/Next: {6}it needs a new QR: connect the instance/);
    expect(source).toContain('trunkline instances history ins_1\r\n');
  });

  it('says that no action is needed while it is retried', async () => {
    const { url, emails } = await startSmtpServer();
    const instance = {
      ...down.instance,
      status: 'disconnected',
      next: { kind: 'reconnect', at: null },
    } as const;
    await emailNotifier(url, silentLogger).notify({ ...down, instance });
    expect(emails[0]?.source).toContain('Next:      it keeps trying to connect\r\n');
  });

  it('says that it is back, and how long it was down', async () => {
    const { url, emails } = await startSmtpServer();
    const instance = {
      ...down.instance,
      phoneNumber: '15550100',
      status: 'connected',
      lastError: null,
      upSince: Date.UTC(2026, 10, 20, 22, 40),
      next: null,
    } as const;
    await emailNotifier(url, silentLogger).notify({ ...down, kind: 'instance_up', instance });
    const source = emails[0]?.source.replaceAll('=\r\n', '');
    expect(source).toContain('Subject: A number is connected again\r\n');
    expect(source).toContain('connected again since Fri, 20 Nov 2026 22:40:00 GMT');
    expect(source).toContain('down from Fri, 20 Nov 2026 21:15:00 GMT on');
    expect(source).not.toContain('Next:');
  });
});

describe('An email about a failing webhook', () => {
  it('goes to all who administer webhooks, under an id of its own', async () => {
    const { url, emails } = await startSmtpServer();
    await emailNotifier(`${url}/?from=trunkline@example.com`, silentLogger).notify(notification);
    expect(emails).toHaveLength(1);
    expect(emails[0]).toMatchObject({
      from: 'trunkline@example.com',
      to: ['ada@example.com', 'grace@example.com'],
    });
    const source = emails[0]?.source;
    expect(source).toContain('Subject: A webhook endpoint keeps failing\r\n');
    expect(source).toContain('Message-ID: <ntc_1@trunkline>\r\n');
    expect(source).toContain('Workspace: Acme (ten_1)\r\n');
    expect(source).toContain('Endpoint:  https://example.com/hook (wh_1)\r\n');
    expect(source).toContain('Fri, 20 Nov 2026 21:15:00 GMT');
  });

  it('says that the endpoint was disabled', async () => {
    const { url, emails } = await startSmtpServer();
    await emailNotifier(url, silentLogger).notify({ ...notification, kind: 'webhook_disabled' });
    expect(emails[0]?.from).toBe('trunkline@127.0.0.1');
    expect(emails[0]?.source).toContain('Subject: A failing webhook endpoint was disabled\r\n');
  });

  it('signs in as the URL says, and never reveals how', async () => {
    const { url, emails } = await startSmtpServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _, done) {
        if (username === 'me@example.com' && password === 'hush!') done(null, { user: username });
        else done(new Error('Wrong.'));
      },
    });
    const as = (password: string): string => url.replace('//', `//me%40example.com:${password}@`);
    await emailNotifier(as('hush!'), silentLogger).notify(notification);
    expect(emails[0]?.from).toBe('me@example.com');
    const refused: unknown = await emailNotifier(as('the-wrong-password'), silentLogger)
      .notify(notification)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    const reported =
      refused instanceof Error ? [refused.message, refused.stack, ...Object.values(refused)] : [];
    expect(JSON.stringify(reported)).not.toMatch(/the-wrong-password|dGhlLXdyb25n/);
  });

  it('is not sent again if its server accepts it for some recipients', async () => {
    const { url, emails } = await startSmtpServer({
      onRcptTo({ address }, _, done) {
        if (address.startsWith('ada')) done(new Error('No such mailbox.'));
        else done();
      },
    });
    const { logger, lines } = recordingLogger();
    await emailNotifier(url, logger).notify(notification);
    expect(emails[0]?.to).toEqual(['grace@example.com']);
    expect(lines).toEqual([
      JSON.stringify([
        { notificationId: 'ntc_1', recipients: 1 },
        'an email was not accepted for some of its recipients: check their addresses (MAIL_TO)',
      ]),
    ]);
  });

  it('is not sent if no member administers webhooks', async () => {
    const { url, emails } = await startSmtpServer();
    const { logger, lines } = recordingLogger();
    const notifier = emailNotifier(url, logger);
    await notifier.notify({ ...notification, recipients: [] });
    await notifier.notify(notification);
    expect(emails.map(({ to }) => to)).toEqual([notification.recipients]);
    expect(lines).toEqual([expect.stringMatching(/no member .+ administers webhooks.+set MAIL_TO/)]);
  });
});

describe('An email is not accepted', () => {
  it('when the port has no listener', async () => {
    await expect(emailNotifier('smtp://127.0.0.1:1', silentLogger).notify(notification)).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  it('when the server says so', async () => {
    const server = await startSmtpServer();
    server.respondWith('refuse');
    await expect(emailNotifier(server.url, silentLogger).notify(notification)).rejects.toThrow('451');
  });

  it("when the server's name differs from its certificate", async () => {
    // The server offers TLS, with an untrusted certificate.
    const { url, emails } = await startSmtpServer({ disabledCommands: [] });
    await expect(emailNotifier(url, silentLogger).notify(notification)).rejects.toThrow(/certificate/);
    expect(emails).toEqual([]);
  });

  it('when the server hangs with the whole email', async () => {
    const server = await startSmtpServer();
    server.respondWith('hang');
    const socketTimeout = 123_456;
    const elapse = timeoutsOf(socketTimeout);
    const notifying = emailNotifier(server.url, silentLogger, { socketTimeout }).notify(notification);
    const outcome = expect(notifying).rejects.toThrow('Timeout');
    await eventually(() => expect(server.emails).toHaveLength(1));
    elapse();
    await outcome;
  });

  it('when the server says nothing, which holds no connection', async () => {
    const closed: Promise<unknown>[] = [];
    const mute = createServer((socket) => {
      closed.push(
        once(
          socket.resume().on('error', () => undefined),
          'close',
        ),
      );
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void mute.close());
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo; // the server listens on TCP
    const url = `smtp://127.0.0.1:${port}`;
    const notifying = emailNotifier(url, silentLogger, { greetingTimeout: elapsing(200) }).notify(
      notification,
    );
    await expect(notifying).rejects.toThrow('Greeting never received');
    expect(closed).toHaveLength(1);
    await Promise.all(closed);
  });
});

/** Returns a function that makes all socket timeouts of `ms` elapse. */
function timeoutsOf(ms: number): () => void {
  const spy = vi.spyOn(Socket.prototype, 'setTimeout');
  onTestFinished(() => spy.mockRestore());
  return () => {
    const sockets = spy.mock.results.filter((_, call) => spy.mock.calls[call]?.[0] === ms);
    expect(sockets).toHaveLength(1);
    // `setTimeout` returns its socket.
    for (const { type, value } of sockets) if (type === 'return') value.emit('timeout');
  };
}
