import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { baileysGateway } from '@trunkline/gateway-baileys';
import { until } from '@trunkline/test-support';
import { expect, it, onTestFinished } from 'vitest';
import { manageProcess } from '../src/managed-process.ts';
import type { ManagedProcess } from '../src/managed-process.ts';
import { baileysElsewhere } from '@trunkline/gateway-baileys/elsewhere';
import { choices } from './support/choices.ts';
import { startReceiver } from './support/receivers.ts';
import { call, qrCode } from './support/set-up.ts';
import { API_KEY } from './support/test-cluster.ts';

const preload = (program: string): string =>
  `--import=${new URL(`support/programs/${program}.ts`, import.meta.url).href}`;

it('WhatsApp is only in the process of its gateway, and the others link, send and receive through it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-whatsapp-test-'));
  const wa = await spawnFakeWhatsApp();
  const receiver = await startReceiver('inbound', { events: ['message.received'] }, choices(1));
  const printed: string[] = [];
  const run = (name: string, env: Readonly<Record<string, string>>): ManagedProcess =>
    manageProcess({
      name,
      program: new URL('../src/service.ts', import.meta.url),
      env: {
        API_KEY,
        DATA_DIR: join(directory, 'data'),
        DATABASE_URL: `sqlite:${join(directory, 'trunkline.db')}`,
        SECRET_KEY: 'a secret key of at least 32 characters',
        GATEWAYS: 'whatsapp',
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'warn',
        WEBHOOK_URL_POLICY: 'local',
        ...env,
      },
      readyLine: /(http:\/\/\S+:\d+)\/(?:api\/v1|healthz)$/,
      onLine: (line) => void printed.push(`${name}: ${line}`),
    });
  const app = run('app', {
    ROLES: 'api,webhooks,maintenance',
    NODE_OPTIONS: preload('without-whatsapp'),
  });
  const processes = [app];
  onTestFinished(async () => {
    await Promise.all(processes.map((one) => one.stop()));
    receiver.close();
    await wa.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const url = await app.ready;
  const gateway = run('gateway', {
    ROLES: 'gateway',
    NODE_OPTIONS: preload('on-fake-whatsapp'),
    FAKE_WHATSAPP: JSON.stringify(wa.client),
  });
  processes.push(gateway);
  await gateway.ready;

  const account = await wa.account('5511900000001', { name: 'Shop' });
  const bob = await wa.person('5511988887777', { name: 'Bob' });
  const webhook = await call(url, 'POST', '/webhooks', { url: receiver.url, events: receiver.events });
  receiver.secret = webhook.secret ?? '';
  const { id } = await call(url, 'POST', '/instances', {});
  const isNow = (status: string) => async (): Promise<boolean> =>
    (await call(url, 'GET', `/instances/${id}`)).status === status;
  await call(url, 'POST', `/instances/${id}/connect`);
  await until('it shows a QR', isNow('qr_required'));
  await wa.scanQr(account, await qrCode(url, id));
  await until('it is connected', isNow('connected'));

  const message = { instance: id, to: bob.phoneNumber, type: 'text', text: 'Hello Bob' };
  const sent = await call(url, 'POST', '/messages', message);
  expect(await wa.nextMessage()).toMatchObject({ content: { type: 'text', text: 'Hello Bob' } });
  await until('it is sent', async () => (await call(url, 'GET', `/messages/${sent.id}`)).status === 'sent');

  await wa.inbound(bob, account, 'Hello Shop');
  const arrival = await until('its webhook arrives', () => receiver.arrivals[0]);
  expect(arrival).toMatchObject({ type: 'message.received', text: 'Hello Shop' });
  expect((await call(url, 'GET', `/messages/${arrival.messageId}`)).status).toBe('received');
  expect(receiver.refused).toEqual([]);
  expect(printed.filter((line) => line.includes('this process loads'))).toEqual([]);
});

it('a process without WhatsApp agrees with its gateway on what it can send and how ids are made', () => {
  const [elsewhere, real] = [baileysElsewhere(), baileysGateway()];
  const bytes = Uint8Array.from({ length: 16 }, (_, i) => i * 16);
  expect(elsewhere.capabilities).toEqual(real.capabilities);
  expect(elsewhere.newMessageId(bytes)).toBe(real.newMessageId(bytes));
});
