import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Person } from '@trunkline/fake-whatsapp';
import { unwrap } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { startMeasuredServer } from './measured-server.ts';
import type { MeasuredServer } from './measured-server.ts';
import { linkNumber, timed, until } from './whatsapp-numbers.ts';

/**
 * The memory of each of many WhatsApp numbers in one process, which runs the real client against a loopback network,
 * and the time until all are online again after a restart and after a `kill -9`. Exits 1 if a message was sent twice;
 * does not end if a message was lost.
 */
const INSTANCES = Number(process.env['INSTANCES'] ?? 50);
const MESSAGES = Number(process.env['MESSAGES'] ?? 20);
const AT_ONCE = 10;
const MB = 1_048_576;
/** Longer than a lease: a server that starts this much later finds a killed server's leases expired. */
const LATER_MS = 61_000;

interface Linked {
  readonly id: string;
  readonly account: Account;
  readonly person: Person;
}

const directory = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'trunkline-whatsapp-'));
const wa = await spawnFakeWhatsApp();
const start = (aheadMs = 0): Promise<MeasuredServer> =>
  startMeasuredServer('whatsapp-server.ts', {
    directory,
    env: { FAKE_WHATSAPP: JSON.stringify(wa.client), CLOCK_AHEAD_MS: String(aheadMs) },
  });

let server = await start();
try {
  const before = await server.memory();
  const numbers = Array.from({ length: INSTANCES }, (_, index) => index);
  const linking = await timed(() => inTurns(numbers, (index) => link(server.api, index)));
  const instances = linking.result;
  say(`${INSTANCES} instances paired by QR in ${seconds(linking)}; ${await perInstance(before)}`);

  const exchange = await timed(() => Promise.all(instances.map((linked) => exchangeMessages(linked))));
  const all = INSTANCES * MESSAGES;
  say(
    `${all} messages (${MESSAGES} each, half of them in) in ${seconds(exchange)}; ${await perInstance(before)}`,
  );

  await restart('restarted', () => server.stop(), 0);
  say(`  ${await perInstance(before)}`);
  await restart('killed and started again', () => server.kill(), LATER_MS);
  await Promise.all(instances.map(({ id, person }) => sendText(id, person, 'still there')));
  await arrived(instances, MESSAGES / 2 + 1);
  say('every message arrived once; every instance still sends');
} finally {
  await server.stop();
  await wa.stop();
  await rm(directory, { recursive: true, force: true });
}

async function link(api: TrunklineClient, index: number): Promise<Linked> {
  const digits = String(index).padStart(5, '0');
  const account = await wa.account(`55119000${digits}`, { name: `Shop ${digits}` });
  const person = await wa.person(`55118000${digits}`, { name: `Customer ${digits}` });
  const id = await linkNumber(wa, api, account);
  return { id, account, person };
}

async function exchangeMessages(linked: Linked): Promise<void> {
  const { id, account, person } = linked;
  for (let index = 0; index < MESSAGES / 2; index += 1) {
    await sendText(id, person, `out ${index}`);
    await wa.inbound(person, account, `in ${index}`);
  }
  await arrived([linked], MESSAGES / 2);
  const inbound = async (): Promise<number> => {
    const query = { instance: id, direction: 'inbound', limit: 100 } as const;
    return unwrap(await server.api.messages.list(query)).data.length;
  };
  await until(async () => (await inbound()) === MESSAGES / 2);
}

async function sendText(instance: string, { phoneNumber }: Person, text: string): Promise<void> {
  unwrap(await server.api.messages.send({ instance, to: phoneNumber, type: 'text', text }));
}

/** Waits until each person's phone shows `count` messages. Throws if a message was sent twice. */
async function arrived(instances: readonly Linked[], count: number): Promise<void> {
  for (const { person } of instances) await until(async () => (await wa.inbox(person)).length === count);
  for (const { account } of instances) {
    const stanzas = (await wa.sentMessages({ from: account })).length;
    if (stanzas !== count)
      throw new Error(`${account.phoneNumber} sent ${stanzas} stanzas for ${count} messages`);
  }
}

async function restart(how: string, end: () => Promise<void>, aheadMs: number): Promise<void> {
  await end();
  const restored = await timed(async () => {
    server = await start(aheadMs);
    const online = async (): Promise<boolean> => {
      const { data } = unwrap(await server.api.instances.list());
      return data.every(({ status }) => status === 'connected') && (await allConnected());
    };
    await until(online);
  });
  say(`${how}: all ${INSTANCES} online again without a QR after ${seconds(restored)}`);
}

/** Asks the network: the stored status may be from before the restart. */
async function allConnected(): Promise<boolean> {
  for (let index = 0; index < INSTANCES; index += 1) {
    const [device] = await wa.linkedDevices({ phoneNumber: `55119000${String(index).padStart(5, '0')}` });
    if (device?.connected !== true) return false;
  }
  return true;
}

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

async function perInstance(before: { readonly rss: number; readonly heapUsed: number }): Promise<string> {
  const { rss, heapUsed } = await server.memory();
  const mb = (bytes: number): string => (bytes / MB).toFixed(1);
  const each = (grown: number): string => `${mb(grown / INSTANCES)} MB`;
  return (
    `resident ${mb(rss)} MB, ${each(rss - before.rss)} per instance; ` +
    `heap ${mb(heapUsed)} MB, ${each(heapUsed - before.heapUsed)} per instance`
  );
}

function seconds({ ms }: { readonly ms: number }): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function say(line: string): void {
  console.log(line);
}
