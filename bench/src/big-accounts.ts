import { setTimeout as wait } from 'node:timers/promises';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Group, Person } from '@trunkline/fake-whatsapp';
import { unwrap } from '@trunkline/http/client';
import { compare, plain, printMachine, printTable, size } from './figures.ts';
import { startMeasuredServer } from './measured-server.ts';
import type { MeasuredServer } from './measured-server.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';
import { linkNumber, timed, until } from './whatsapp-numbers.ts';

/**
 * The cost of a WhatsApp number in many groups: its memory, how long it delays other work, and how long it takes to
 * come back after a restart. The real client runs against a loopback network. INSTANCES numbers are in the same
 * GROUP_COUNT groups. The largest group has MEMBERS; all groups together have PEOPLE.
 */
const INSTANCES = size('INSTANCES', 3);
const GROUPS = size('GROUP_COUNT', 500);
const MEMBERS = size('MEMBERS', 1_000);
const PEOPLE = size('PEOPLE', 60_000);
/** Numbers without groups, linked first so that they load the code that all numbers share. */
const SMALL_INSTANCES = 5;
/** How long background work continues after a number is online. */
const SETTLED_AFTER_MS = 5_000;
const TOGETHER = 1_000;
const MB = 1_048_576;

interface Figures {
  readonly what: string;
  readonly seconds: number;
  readonly longestDelay: number;
  readonly longestWork: number;
  /** In bytes, per number with groups. */
  readonly resident: number;
  readonly heap: number;
}

const directory = makeDirectory();
const wa = await spawnFakeWhatsApp();
const start = (): Promise<MeasuredServer> =>
  startMeasuredServer('whatsapp-server.ts', { directory, env: { FAKE_WHATSAPP: JSON.stringify(wa.client) } });
let server = await start();
const rows: Figures[] = [];
try {
  const smaller = await accounts('1', SMALL_INSTANCES);
  for (const account of smaller) await linkNumber(wa, server.api, account);
  await wait(SETTLED_AFTER_MS);
  const small = await server.memory();
  const big = await accounts('2', INSTANCES);
  const largest = await makeGroups(big);

  const ids: string[] = [];
  const measured = async (what: string, work: () => Promise<void>): Promise<void> => {
    const { ms } = await timed(work);
    await wait(SETTLED_AFTER_MS);
    const { rss, heapUsed, longestDelay, longestWork } = await server.memory();
    const each = (after: number, before: number): number => (after - before) / INSTANCES;
    const memory = { resident: each(rss, small.rss), heap: each(heapUsed, small.heapUsed) };
    rows.push({ what, seconds: ms / 1_000, longestDelay, longestWork, ...memory });
  };
  await measured('linked by QR, until all groups are listed', async () => {
    for (const account of big) ids.push(await linkNumber(wa, server.api, account));
    await until(() => allListed(ids));
  });
  await measured(`a first text to the group of ${plain(MEMBERS)}`, () => sendToGroup(ids[0] ?? '', largest));
  await measured('a second one', () => sendToGroup(ids[0] ?? '', largest));
  await server.stop();
  // After a restart, the stored status still says connected, so ask the network.
  const online = Promise.all([...smaller, ...big].map((account) => wa.next('online', account)));
  await measured('restarted, until all are online', async () => {
    server = await start();
    await online;
    await until(allOnline);
  });
} finally {
  await server.stop();
  await wa.stop();
  removeDirectory(directory);
}

printMachine();
printTable(
  `${plain(INSTANCES)} numbers in ${plain(GROUPS)} groups with ${plain(PEOPLE)} people, the largest with ${plain(MEMBERS)}`,
  ['', 'seconds', 'longest delay, ms', 'longest work, ms of CPU', 'resident MB, each', 'heap MB, each'],
  rows.map(({ what, seconds, longestDelay, longestWork, resident, heap }) => [
    what,
    plain(seconds, 1),
    plain(longestDelay),
    plain(longestWork),
    plain(resident / MB, 1),
    plain(heap / MB, 1),
  ]),
);
console.log();
const highest = (figure: 'longestDelay' | 'longestWork' | 'heap'): number =>
  Math.max(...rows.map((row) => row[figure]));
compare('longest delay, ms', [highest('longestDelay')], { atMost: 100 });
compare('longest work, ms of CPU', [highest('longestWork')], { atMost: 100 });
compare('heap MB of each big number', [highest('heap') / MB], { atMost: 10 });
// Later rows include memory of the largest message, which Node does not release.
compare('resident MB of each big number, linked', [(rows[0]?.resident ?? Number.NaN) / MB], { atMost: 10 });

function accounts(kind: string, count: number): Promise<Account[]> {
  return inParts(count, (index) =>
    wa.account(`5511${kind}${digits(index)}`, { name: `Shop ${kind} ${index}` }),
  );
}

/** Makes the largest group first, and divides the other people among the other groups. */
async function makeGroups(members: readonly Account[]): Promise<Group> {
  const people = await inParts(PEOPLE, (index) => wa.person(`55118${digits(index)}`));
  const make = (index: number, others: readonly Person[]): Promise<Group> =>
    wa.group({ subject: `Group ${index}`, members: [...others, ...members] });
  const largest = await make(0, people.slice(0, MEMBERS));
  const share = Math.ceil((PEOPLE - MEMBERS) / (GROUPS - 1));
  for (let index = 1; index < GROUPS; index += 1) {
    const first = MEMBERS + (index - 1) * share;
    await make(index, people.slice(first, first + share));
  }
  return largest;
}

async function inParts<Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < count) {
    const part = Array.from(
      { length: Math.min(TOGETHER, count - results.length) },
      (_, i) => results.length + i,
    );
    results.push(...(await Promise.all(part.map(make))));
  }
  return results;
}

async function allListed(ids: readonly string[]): Promise<boolean> {
  for (const id of ids) {
    const listed = await server.api.instances.groups(id);
    // A server that is blocked for seconds drops connections, so repeat a failed request.
    if (!listed.ok || listed.data.length < GROUPS) return false;
  }
  return true;
}

async function allOnline(): Promise<boolean> {
  const { data } = unwrap(await server.api.instances.list());
  return data.every(({ status }) => status === 'connected');
}

async function sendToGroup(instance: string, { subject }: Group): Promise<void> {
  const groups = unwrap(await server.api.instances.groups(instance)).data;
  const to = groups.find(({ name }) => name === subject)?.id ?? '';
  const { data } = unwrap(await server.api.messages.send({ instance, to, type: 'text', text: 'hello' }));
  await until(async () => unwrap(await server.api.messages.get(data.id)).data.status !== 'queued');
}

function digits(index: number): string {
  return String(index).padStart(8, '0');
}
