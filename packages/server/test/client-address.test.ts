import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { clientAddress } from '../src/http/client-address.ts';

it.each([
  ['a client itself', '203.0.114.7', null, '203.0.114.7'],
  ['a client that names another address', '203.0.114.7', '198.51.101.9', '203.0.114.7'],
  ['a proxy on this machine', '127.0.0.1', '198.51.101.9', '198.51.101.9'],
  ['a proxy of the same network, over IPv6', '::ffff:172.18.0.2', '198.51.101.9', '198.51.101.9'],
  ['a proxy that adds to what a client has sent', '10.0.0.2', '1.2.3.4, 198.51.101.9', '198.51.101.9'],
  ['a neighbour without a proxy', '192.168.1.7', null, '192.168.1.7'],
])(
  'a request of %s (%s, X-Forwarded-For: %s) comes from %s',
  async (_, remoteAddress, forwarded, address) => {
    const app = new Hono().get('/', (c) => c.text(clientAddress(c) ?? 'nowhere'));
    const headers = forwarded === null ? {} : { 'X-Forwarded-For': forwarded };
    const incoming = { socket: { remoteAddress, remotePort: 1, remoteFamily: 'IPv4' } };
    const response = await app.request('/', { headers }, { incoming });
    expect(await response.text()).toBe(address);
  },
);
