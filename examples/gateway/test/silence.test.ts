import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { manualClock, seededRandom } from '@trunkline/core/testing';
import { memorySession, openLink } from '@trunkline/gateway-contract';
import { carrierGateway } from '../src/carrier-gateway.ts';

it.each([
  ['does not respond', () => {}],
  ['responds and then says nothing', (response: ServerResponse) => void response.write('\n')],
])('a connection to a carrier that %s is dropped after 30 seconds', async (_, respond) => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the server uses TCP
  const clock = manualClock();
  const gateway = carrierGateway(`http://127.0.0.1:${port}`);
  gateway.attach({ clock, random: seededRandom(1), logger: silentLogger });

  const asked = once(server, 'request');
  const link = await openLink(gateway, memorySession('ins_1'));
  respond((await asked)[1] as ServerResponse); // the event's second argument
  const begun = clock.now();
  // Between the steps, data from the network is read.
  for (let step = 0; step < 1_000 && link.reports.length === 0; step += 1) await clock.advance(1_000);
  expect(link.reports).toEqual([{ kind: 'closed', reason: { kind: 'dropped', detail: 'connection_lost' } }]);
  expect(clock.now() - begun).toBeGreaterThanOrEqual(30_000);
});
