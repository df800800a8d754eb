import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeDnsResolver } from '@trunkline/core/node';
import { eventually } from '@trunkline/test-support';
import type { DnsResolver } from '../../src/ports/dns-resolver.ts';
import { startNameServer } from './name-server.ts';
import type { NameServer } from './name-server.ts';

const { signal } = new AbortController();

async function start(hosts = ''): Promise<{ server: NameServer; dns: DnsResolver }> {
  const server = await startNameServer();
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-hosts-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const hostsFile = join(directory, 'hosts');
  writeFileSync(hostsFile, hosts);
  return { server, dns: nodeDnsResolver({ servers: [server.address], hostsFile }) };
}

describe('nodeDnsResolver', () => {
  it('returns all addresses of a name, of both kinds', async () => {
    const { server, dns } = await start();
    server.reply('hooks.test', ['93.184.216.34', '2606:4700::1', '93.184.216.35']);
    expect([...(await dns.resolve('hooks.test', signal))].toSorted()).toEqual([
      '2606:4700::1',
      '93.184.216.34',
      '93.184.216.35',
    ]);
    server.reply('six.test', ['2606:4700::1']);
    expect(await dns.resolve('six.test', signal)).toEqual(['2606:4700::1']);
    expect(await dns.resolve('six.test.', signal)).toEqual(['2606:4700::1']);
  });

  it('rejects for a name that does not exist, and for a server that fails', async () => {
    const { server, dns } = await start();
    await expect(dns.resolve('nowhere.test', signal)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    server.reply('hooks.test', 'broken');
    await expect(dns.resolve('hooks.test', signal)).rejects.toMatchObject({ code: 'ESERVFAIL' });
    server.reply('hooks.test', ['93.184.216.34']);
    expect(await dns.resolve('hooks.test', signal)).toEqual(['93.184.216.34']);
  });

  it('asks again each time: nothing is remembered', async () => {
    const { server, dns } = await start();
    server.reply('hooks.test', ['93.184.216.34']);
    expect(await dns.resolve('hooks.test', signal)).toEqual(['93.184.216.34']);
    server.reply('hooks.test', ['93.184.216.35']);
    expect(await dns.resolve('hooks.test', signal)).toEqual(['93.184.216.35']);
  });

  it('delays no lookup because of names whose servers do not respond', async () => {
    const { server, dns } = await start();
    server.reply('hooks.test', ['93.184.216.34']);
    const patience = new AbortController();
    const hanging = Array.from({ length: 50 }, async (_, index) => {
      server.reply(`hangs-${index}.test`, 'silent');
      await expect(dns.resolve(`hangs-${index}.test`, patience.signal)).rejects.toThrow('enough');
    });
    await eventually(() => expect(server.asked.length).toBeGreaterThanOrEqual(50));
    expect(await dns.resolve('hooks.test', signal)).toEqual(['93.184.216.34']);
    patience.abort(new Error('enough'));
    await Promise.all(hanging);
  });

  it('asks once for concurrent calls for one name, and rejects the one whose signal aborts', async () => {
    const { server, dns } = await start();
    server.reply('hooks.test', 'silent');
    const impatient = new AbortController();
    const gone = dns.resolve('hooks.test', impatient.signal);
    const patient = dns.resolve('hooks.test', signal);
    await eventually(() => expect(server.asked).toHaveLength(2));
    impatient.abort(new Error('too late'));
    await expect(gone).rejects.toThrow('too late');
    // The resolver repeats its question after a while.
    server.reply('hooks.test', ['93.184.216.34']);
    expect(await patient).toEqual(['93.184.216.34']);
    expect(new Set(server.asked)).toEqual(new Set(['A hooks.test', 'AAAA hooks.test']));
  });

  it('does not begin when it is too late', async () => {
    const { server, dns } = await start();
    const over = AbortSignal.abort(new Error('too late'));
    await expect(dns.resolve('hooks.test', over)).rejects.toThrow('too late');
    expect(server.asked).toEqual([]);
  });

  it('asks no server about names of the hosts file or this machine', async () => {
    const { server, dns } = await start(
      '# ours\r\n93.184.216.34\tHooks.test  www.hooks.test # and so on\r\n\r\n2606:4700::1 hooks.test\r\n',
    );
    expect(await dns.resolve('hooks.test', signal)).toEqual(['93.184.216.34', '2606:4700::1']);
    expect(await dns.resolve('www.hooks.test.', signal)).toEqual(['93.184.216.34']);
    expect(await dns.resolve('localhost', signal)).toEqual(['127.0.0.1', '::1']);
    expect(await dns.resolve('app.localhost', signal)).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  });

  it('reads the hosts file of the system, unless it is given another', async () => {
    const addresses = await nodeDnsResolver().resolve('localhost', signal);
    for (const address of addresses) expect(['127.0.0.1', '::1']).toContain(address);
    expect(addresses.length).toBeGreaterThan(0);
  });

  it('does without a hosts file', async () => {
    const { address, reply } = await startNameServer();
    reply('hooks.test', ['93.184.216.34']);
    const dns = nodeDnsResolver({ servers: [address], hostsFile: '/nowhere/hosts' });
    expect(await dns.resolve('hooks.test', signal)).toEqual(['93.184.216.34']);
  });
});
