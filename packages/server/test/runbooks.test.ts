import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '@trunkline/test-support';
import { operatorsMachine } from './support/operators-machine.ts';
import type { OperatorsMachine } from './support/operators-machine.ts';
import { rehearse, RUNBOOKS } from './support/runbook.ts';

interface WithNumber {
  readonly machine: OperatorsMachine;
  readonly instance: string;
}

/** A machine whose server has a number that is connected. */
async function withNumber(settings: readonly string[] = []): Promise<WithNumber> {
  const machine = await operatorsMachine(settings);
  await machine.start();
  const { client } = machine;
  const { id: instance } = await client.createInstance();
  await client.request('PATCH', `/api/v1/instances/${instance}`, { body: { name: 'Front desk' } });
  await client.request('POST', `/api/v1/instances/${instance}/connect`);
  await scan(machine, instance);
  return { machine, instance };
}

async function scan({ client }: OperatorsMachine, instance: string): Promise<void> {
  await until('a QR is shown', async () => (await client.instance(instance)).status === 'qr_required');
  const { status } = await client.request('POST', `/sandbox/instances/${instance}/scan`, {
    body: { phone_number: '15550142', profile_name: 'Acme' },
  });
  expect(status).toBe(202);
}

/** As wide as the address that it stands for. */
const HOOK = 'https://shop.example.com/in';

/** A receiver that is out of order until it is mended. */
async function brokenReceiver(): Promise<{ readonly url: string; mend(): void }> {
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
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `http://127.0.0.1:${port}/hook`, mend: () => void (isBroken = false) };
}

describe('The runbook', () => {
  describe('of one server on SQLite', () => {
    let shared: WithNumber;
    beforeAll(async () => {
      shared = await withNumber(['webhook_url_policy = "local"']);
      return () => shared.machine.stop();
    });

    it('it-never-arrived.md leads from a customer to where the message stands', async () => {
      const { machine, instance } = shared;
      const { id } = await machine.client.send({
        instance,
        to: '15550001',
        text: 'Your table is booked for 20:00.',
      });
      await until('it is sent', async () => (await machine.client.message(id)).status === 'sent');
      const page = await rehearse('it-never-arrived.md', machine);
      await page.follow();
      await page.follow();
      page.end();
    });

    it('a-webhook-fails.md leads from a receiver that is down to one that has got everything', async () => {
      const { machine, instance } = shared;
      const { client } = machine;
      const receiver = await brokenReceiver();
      const { id: webhook } = await client.registerWebhook(receiver.url, ['message.read']);
      await client.send({ instance, to: '15550123', text: 'Your table is booked for 20:00.' });
      await until('it failed', async () => {
        const { body } = await client.request('GET', `/api/v1/webhooks/${webhook}/deliveries`);
        return JSON.stringify(body).includes('503');
      });
      const page = await rehearse('a-webhook-fails.md', machine, { [receiver.url]: HOOK });
      await page.follow();
      receiver.mend();
      await page.follow();
      page.end();
    });

    it('a-number-is-down.md leads from a number that was logged out to one that is connected', async () => {
      const { machine, instance } = shared;
      await machine.client.request('POST', `/sandbox/instances/${instance}/unlink`);
      await until(
        'it is down',
        async () => (await machine.client.instance(instance)).status === 'logged_out',
      );
      const page = await rehearse('a-number-is-down.md', machine);
      await page.follow();
      await Promise.all([page.follow(), scan(machine, instance)]);
      page.end();
    });
  });
});

describe('Every runbook', () => {
  const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
  const read = (name: string): string => readFileSync(new URL(name, RUNBOOKS), 'utf8');

  it('is in the list by what you see', () => {
    const linked = [...read('README.md').matchAll(/^\| .*\]\(([\w-]+\.md)\) \|$/gm)].map(([, name]) => name);
    expect(linked.toSorted()).toEqual(pages.toSorted());
  });

  it.for(pages)('is one screen, with the same parts in the same order: %s', (name) => {
    const headings = [...read(name).matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(headings).toEqual([
      'You see',
      'It means',
      'Type',
      'It is over when',
      'If not',
      'Cannot be got back',
    ]);
    expect(read(name).split('\n').length).toBeLessThan(100);
  });
});
