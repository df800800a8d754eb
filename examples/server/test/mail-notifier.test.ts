import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import type { Notification } from '@trunkline/core';
import { mailNotifier } from '../src/mail-notifier.ts';

const notification: Notification = {
  id: 'ntc_1',
  kind: 'webhook_failing',
  recipients: ['ada@example.com', 'grace@example.com'],
  workspace: { id: 'ten_1', name: 'Acme' },
  webhook: { id: 'wh_1', url: 'https://example.com/hook', failingSince: Date.UTC(2026, 10, 20, 21, 15) },
};

describe('A mail about a failing webhook', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A mail server that says yes to everything, and what it was told. */
  async function mailServer(): Promise<{ url: string; told: string[] }> {
    const told: string[] = [];
    const server = createServer((socket) => {
      let inMail = false;
      socket.write('220 ready\r\n');
      socket.setEncoding('utf8').on('data', (text) => {
        for (const line of String(text).split('\r\n').slice(0, -1)) {
          told.push(line);
          if (inMail ? line === '.' : true) socket.write(line === 'DATA' ? '354 go on\r\n' : '250 fine\r\n');
          inMail = line === 'DATA' || (inMail && line !== '.');
        }
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, told }; // it listens on TCP
  }

  it('goes to all who administer webhooks, under an id of its own', async () => {
    const { url, told } = await mailServer();
    await mailNotifier(`${url}/?from=trunkline@example.com`, silentLogger).notify(notification);
    expect(told).toEqual(
      expect.arrayContaining([
        'MAIL FROM:<trunkline@example.com>',
        'RCPT TO:<ada@example.com>',
        'RCPT TO:<grace@example.com>',
        'Subject: A webhook endpoint keeps failing',
        'Message-ID: <ntc_1@trunkline>',
        'Workspace: Acme (ten_1)',
      ]),
    );
    const text = told.join('\n').replaceAll('=\n', ''); // quoted-printable
    expect(text).toContain('Endpoint:  https://example.com/hook (wh_1)');
    expect(text).toContain('Fri, 20 Nov 2026 21:15:00 GMT');
  });

  it('says so when the endpoint was disabled', async () => {
    const { url, told } = await mailServer();
    await mailNotifier(url, silentLogger).notify({ ...notification, kind: 'webhook_disabled' });
    expect(told).toContain('Subject: A failing webhook endpoint was disabled');
    expect(told).toContain('MAIL FROM:<trunkline@127.0.0.1>');
  });

  it('is not taken over when no server takes it', async () => {
    await expect(mailNotifier('smtp://127.0.0.1:1', silentLogger).notify(notification)).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  it('goes nowhere when nobody administers webhooks', async () => {
    await mailNotifier('smtp://127.0.0.1:1', silentLogger).notify({ ...notification, recipients: [] });
  });
});
