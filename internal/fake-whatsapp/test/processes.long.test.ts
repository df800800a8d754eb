import { execFile, fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { HANG_MS } from '@trunkline/test-support';
import { spawnFakeWhatsApp, startFakeWhatsApp } from '../src/index.ts';
import type { ClientSettings } from '../src/index.ts';
import { Client } from './support/client.ts';
import type { Send, Report } from './support/programs/client.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it('the fake WhatsApp runs in a process of its own, with the same API', async () => {
  const wa = await spawnFakeWhatsApp();
  const distrust = wa.trust();
  const shop = await wa.account('5511900000001');
  const bob = await wa.person('5511900000002');
  const version = await wa.currentVersion();
  const server = { client: wa.client, currentVersion: () => version };
  const client = Client.unpaired(server);
  await wa.scanQr(shop, await client.qr());
  await client.closed();
  const restarted = new Client(server, client.auth);
  await restarted.opened();

  const bytes = Buffer.from('not really a video');
  await restarted.message(await wa.inbound(bob, shop, { type: 'video', bytes, mimeType: 'video/mp4' }));
  const next = wa.nextMessage();
  await restarted.socket.sendMessage(bob.jid, { document: bytes, mimetype: 'text/plain', fileName: 'a.txt' });
  const { content } = await next;
  expect('bytes' in content && bytes.equals(content.bytes)).toBe(true);

  await expect(wa.scanQr(shop, 'nonsense')).rejects.toThrow('not a QR of WhatsApp');
  await restarted.end();
  distrust();
  await wa.stop();
  await expect(wa.inbox(bob)).rejects.toThrow();
});

it('a client of the fake WhatsApp that was killed before the ack sends its message again, which its reader sees once', async () => {
  const wa = await startFakeWhatsApp();
  cleanups.push(() => wa.stop());
  const shop = wa.account('5511900000001');
  const bob = wa.person('5511900000002');
  const folder = await temporaryFolder();
  const client = startClient(wa.client, folder);
  const qr = await reported(client, 'qr');
  const settled = reported(client, 'settled');
  wa.scanQr(shop, qr);
  await settled;

  const message: Send = { to: bob.jid, id: 'KILLED-1', text: 'once' };
  wa.holdAcks();
  client.send(message);
  await wa.nextMessage({ id: message.id });
  const offline = wa.next('offline', shop);
  await kill(client);
  await offline;
  wa.releaseAcks();
  const id = await wa.inbound(bob, shop, 'while it was dead');

  const restarted = startClient(wa.client, folder);
  const read = reported(restarted, 'read');
  await reported(restarted, 'open');
  expect(await read).toBe(id);
  restarted.send(message);
  await wa.nextMessage({ id: message.id });
  expect(wa.sentMessages({ id: message.id })).toHaveLength(2);
  expect(wa.inbox(bob)).toMatchObject([{ id: message.id, content: { text: 'once' } }]);
  await kill(restarted);
});

it('the fake WhatsApp leaves nothing behind that keeps a process alive', async () => {
  const program = `
    import { connect } from 'node:net';
    import { startFakeWhatsApp } from '${new URL('../src/index.ts', import.meta.url).href}';
    const wa = await startFakeWhatsApp();
    const { port } = new URL(wa.client.waWebSocketUrl);
    const open = () => new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', () => {});
    });
    const upgrade = 'GET /ws/chat HTTP/1.1\\r\\nHost: x\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
      'Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n';
    await open();
    const accepted = await open();
    const replied = new Promise((resolve) => accepted.once('data', resolve));
    accepted.write(upgrade);
    await replied;
    wa.refuseUpgrades('silence');
    (await open()).write(upgrade);
    wa.nextMessage().catch(() => {});
    await wa.stop();
    console.log('stopped');
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    timeout: HANG_MS,
  });
  expect(stdout).toBe('stopped\n');
});

function startClient(settings: ClientSettings, folder: string): ChildProcess {
  const program = fileURLToPath(new URL('support/programs/client.ts', import.meta.url));
  const env = { ...process.env, FAKE_WHATSAPP: JSON.stringify(settings) };
  const child = fork(program, [folder], { env, execArgv: [] });
  cleanups.push(() => kill(child));
  return child;
}

/** The next report of this kind from the client. */
function reported(child: ChildProcess, kind: 'qr' | 'settled' | 'open' | 'read'): Promise<string> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      const news = message as Report; // the program sends nothing else
      if (!(kind in news)) return;
      child.off('message', listen);
      resolve(String(Object.values(news)[0]));
    };
    child.on('message', listen);
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-whatsapp-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
