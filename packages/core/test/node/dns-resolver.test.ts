import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { nodeDnsResolver } from '@trunkline/core/node';

vi.mock('node:dns/promises', async (importOriginal) => {
  const dns = await importOriginal<typeof import('node:dns/promises')>();
  return { ...dns, lookup: vi.fn(dns.lookup) };
});

// The one overload of several that is called, with `all: true`.
const asked = vi.mocked(lookup as (hostname: string, options: object) => Promise<LookupAddress[]>);
const { signal } = new AbortController();

afterEach(() => {
  asked.mockClear();
});

describe('nodeDnsResolver', () => {
  it('reads /etc/hosts', async () => {
    const addresses = await nodeDnsResolver().resolve('localhost', signal);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(['127.0.0.1', '::1']).toContain(address);
  });

  it('answers all addresses, in the order of the system', async () => {
    asked.mockResolvedValueOnce(found('2606:4700::1', '93.184.216.34'));
    expect(await nodeDnsResolver().resolve('hooks.test', signal)).toEqual(['2606:4700::1', '93.184.216.34']);
    expect(asked).toHaveBeenCalledWith('hooks.test', { all: true, order: 'verbatim' });
  });

  it('rejects for a name that does not exist', async () => {
    asked.mockRejectedValueOnce(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    await expect(nodeDnsResolver().resolve('hooks.test', signal)).rejects.toThrow('ENOTFOUND');
  });

  it('asks anew each time: nothing is remembered', async () => {
    asked.mockResolvedValueOnce(found('93.184.216.34')).mockResolvedValueOnce(found('93.184.216.35'));
    const resolver = nodeDnsResolver();
    expect(await resolver.resolve('hooks.test', signal)).toEqual(['93.184.216.34']);
    expect(await resolver.resolve('hooks.test', signal)).toEqual(['93.184.216.35']);
  });

  it('asks once for those who want to know the same at the same time', async () => {
    const answer = Promise.withResolvers<LookupAddress[]>();
    asked.mockReturnValueOnce(answer.promise);
    const resolver = nodeDnsResolver();
    const [first, second] = [resolver.resolve('hooks.test', signal), resolver.resolve('hooks.test', signal)];
    answer.resolve(found('93.184.216.34'));
    expect(await first).toEqual(['93.184.216.34']);
    expect(await second).toEqual(['93.184.216.34']);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('lets go when told to, alone of those who wait', async () => {
    const answer = Promise.withResolvers<LookupAddress[]>();
    asked.mockReturnValueOnce(answer.promise);
    const resolver = nodeDnsResolver();
    const impatient = new AbortController();
    const [gone, patient] = [
      resolver.resolve('hooks.test', impatient.signal),
      resolver.resolve('hooks.test', signal),
    ];
    impatient.abort(new Error('too late'));
    await expect(gone).rejects.toThrow('too late');
    answer.resolve(found('93.184.216.34'));
    expect(await patient).toEqual(['93.184.216.34']);
  });

  it('does not begin when it is too late already', async () => {
    const over = AbortSignal.abort(new Error('too late'));
    await expect(nodeDnsResolver().resolve('hooks.test', over)).rejects.toThrow('too late');
    expect(asked).not.toHaveBeenCalled();
  });
});

function found(...addresses: string[]): LookupAddress[] {
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}
