import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { until } from '@trunkline/test-support';
import { freePort } from '@trunkline/test-support/free-port';
import { startProgram } from '@trunkline/test-support/start-program';
import type { OperatorsMachine } from './operators-machine.ts';

export async function brokenReceiver(): Promise<{ readonly url: string; fix(): void }> {
  let isBroken = true;
  const server = createServer((_, response) => {
    if (isBroken) response.writeHead(503).end('database is locked');
    else response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return { url: `http://127.0.0.1:${port}/hook`, fix: () => void (isBroken = false) };
}

/** Whether this process can mount a disk small enough to fill, which only root can. */
export const canMount: boolean = process.getuid?.() === 0 && tryMount();

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-disk-'));
  const { status } = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  if (status === 0) spawnSync('/bin/umount', [folder]);
  rmSync(folder, { recursive: true });
  return status === 0;
}

export function fill(path: string): void {
  const { stderr } = spawnSync('dd', ['if=/dev/zero', `of=${path}`, 'bs=4k'], { encoding: 'utf8' });
  expect(stderr).toContain('No space left on device');
}

/** A proxy to a server. `cut` closes the port and the connections; `fix` opens the port again. */
export async function lineTo(
  url: string,
): Promise<{ readonly url: string; cut(): Promise<void>; fix(): void }> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createTcpServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.pipe(server).pipe(client);
  });
  const here = await freePort();
  const open = (): void => void proxy.listen(here, '127.0.0.1');
  open();
  await once(proxy, 'listening');
  const cut = async (): Promise<void> => {
    const closed = once(proxy, 'close');
    proxy.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await closed;
  };
  onTestFinished(() => (proxy.listening ? cut() : undefined));
  return {
    url: Object.assign(new URL(url), { port: String(here), password: 'password' }).href,
    cut,
    fix: open,
  };
}

const NGINX = '/usr/sbin/nginx';
const ROOT = join(import.meta.dirname, '../../../..');

/**
 * Starts nginx as a proxy to the machine's server, without proxy.conf, as at the start of behind-nginx.md. The
 * machine's command `nginx` uses the same configuration.
 */
export async function startNginx(machine: OperatorsMachine): Promise<{ readonly url: string }> {
  const port = await freePort();
  const at = (file: string): string => machine.path(file);
  for (const folder of ['/etc/nginx/conf.d', '/var/log/nginx']) mkdirSync(at(folder), { recursive: true });
  symlinkSync(ROOT, at('/var/lib/trunkline/trunkline'));
  const main = [
    `pid ${at('/etc/nginx/pid')};`,
    'events {}',
    `http { access_log off; client_body_temp_path ${at('/etc/nginx/bodies')}; include ${at('/etc/nginx/conf.d')}/*.conf; }`,
  ].join('\n');
  // Without TLS, because the test is not about the certificate.
  const site = `server {\n  listen 127.0.0.1:${port};\n  location / { proxy_pass ${machine.url}; }\n}\n`;
  writeFileSync(at('/etc/nginx/nginx.conf'), main);
  writeFileSync(at('/etc/nginx/conf.d/trunkline.conf'), site);
  const args = ['-e', at('/var/log/nginx/error.log'), '-c', at('/etc/nginx/nginx.conf')];
  machine.install('/bin/nginx', `exec ${NGINX} ${args.join(' ')} "$@"`);
  const program = startProgram(NGINX, { args: [...args, '-g', 'daemon off;'], isGroup: true });
  onTestFinished(async () => {
    program.signal('SIGQUIT');
    await program.ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await until('nginx listens', async () => (await fetch(url).catch(() => null)) !== null);
  return { url };
}
