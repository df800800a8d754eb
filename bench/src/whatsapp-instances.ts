import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Person } from '@trunkline/fake-whatsapp';
import { unwrap } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { compare, percentile, plain, printMachine, printTable, size } from './figures.ts';
import { startMeasuredServer } from './measured-server.ts';
import type { MeasuredServer } from './measured-server.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';
import { now } from './time.ts';
import { linkNumber, timed, until } from './whatsapp-numbers.ts';

/**
 * Many WhatsApp numbers in one process, which runs the real client against a loopback network: the memory of each
 * number, idle and after MESSAGES texts; how long all take to send again after a restart and after a `kill -9`; how long
 * the loop is blocked; how long a text takes while FILES files stall for each number; and the memory that a history of
 * CHATS chats takes while a number is linked. Exits 1 if a message was sent twice; does not end if a message was lost.
 */
const INSTANCES = size('INSTANCES', 50);
const MESSAGES = size('MESSAGES', 20);
const FILES = size('FILES', 10);
const TEXTS = size('TEXTS', 10);
const CHATS = size('CHATS', 10_000);
/** Numbers that are linked first, so that they load the code that all numbers share. */
const FIRST = 3;
const AT_ONCE = 10;
/** The time between two texts of a number while files stall. */
const TEXT_EVERY_MS = 1_000;
/** More requests for files than all numbers make. */
const STALLED_REQUESTS = 50_000;
/** How long background work continues after a number is online. */
const SETTLED_AFTER_MS = 5_000;
/** Longer than a lease: a server that starts this much later finds a killed server's leases expired. */
const LATER_MS = 61_000;
const MB = 1_048_576;

interface Linked {
  readonly id: string;
  readonly account: Account;
  readonly person: Person;
}

interface Row {
  readonly what: string;
  readonly seconds: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly longestDelay: number;
  readonly longestWork: number;
}

printMachine();
const loadBefore = loadavg();
const directory = makeDirectory();
const wa = await spawnFakeWhatsApp();
let server = await start();
const rows: Row[] = [];
try {
  const first = await linkAll(FIRST, 0);
  await Promise.all(first.map((linked) => exchangeMessages(linked)));
  await wait(SETTLED_AFTER_MS);
  const before = await server.memory();
  const each = (row: Row, figure: 'rss' | 'heapUsed'): number =>
    (row[figure] - before[figure]) / INSTANCES / MB;
  const measured = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    const { ms, result } = await timed(work);
    await wait(SETTLED_AFTER_MS);
    rows.push({ what, seconds: ms / 1_000, ...(await server.memory()) });
    return result;
  };

  const numbers = await measured('linked by QR', () => linkAll(INSTANCES, FIRST));
  await measured(`${plain(INSTANCES * MESSAGES)} texts, half of them in`, () =>
    Promise.all(numbers.map((linked) => exchangeMessages(linked))),
  );
  let textMs: readonly number[] = [];
  await measured(
    `${plain(INSTANCES * TEXTS)} texts, while ${FILES} files stall for each number`,
    async () => {
      textMs = await textsWhileFilesStall(numbers);
    },
  );
  const stalled = rows.length - 1;
  const stop = await timed(() => server.stop());
  await measured('restarted, until all send', () => restart(numbers, 0));
  await server.kill();
  await measured('killed, until all send', () => restart(numbers, LATER_MS));
  await checkOnce(numbers, MESSAGES / 2 + TEXTS + 2);
  console.log(
    `every message of ${plain(INSTANCES)} numbers arrived once; a clean stop took ${plain(stop.ms / 1_000, 1)} s`,
  );

  const beforeHistory = await server.memory();
  await linkAll(1, FIRST + INSTANCES, (account) => wa.fillPhone(account, CHATS));
  await wait(SETTLED_AFTER_MS);
  const { highestRss } = await server.memory();

  printTable(
    `${plain(INSTANCES)} numbers, beyond ${FIRST} that were there before; load average ${loads(loadBefore)} before, ${loads(loadavg())} after`,
    [
      '',
      'seconds',
      'resident MB',
      'of it each',
      'heap MB each',
      'longest delay, ms',
      'longest work, ms of CPU',
    ],
    rows.map((row) => [
      row.what,
      plain(row.seconds, 1),
      plain(row.rss / MB),
      plain(each(row, 'rss'), 1),
      plain(each(row, 'heapUsed'), 1),
      plain(row.longestDelay),
      plain(row.longestWork),
    ]),
  );
  console.log();
  const [idle, busy] = rows;
  const [restarted, killed] = rows.slice(stalled + 1);
  if (!idle || !busy || !restarted || !killed) throw new Error('A row is missing.');
  const highest = (figure: 'longestDelay' | 'longestWork', from: readonly Row[]): number =>
    Math.max(...from.map((row) => row[figure]));
  const running = rows.slice(0, stalled + 1);
  compare('resident MB of each number, idle', [each(idle, 'rss')], { atMost: 3 });
  compare('resident MB of each number, busy', [each(busy, 'rss')], { atMost: 3 });
  compare('seconds until all send again, restarted', [restarted.seconds], { atMost: 20 });
  compare('seconds until all send again, killed', [killed.seconds], { atMost: 20 });
  compare('longest block of the loop, ms', [highest('longestDelay', running)], { atMost: 100 });
  compare('longest block of the loop, ms of CPU', [highest('longestWork', running)], { atMost: 100 });
  compare('longest block at a start, ms of CPU', [highest('longestWork', [restarted, killed])], {
    atMost: 100,
  });
  compare(`p99 ms of a text while ${FILES} files stall for each`, [percentile(textMs, 0.99)], {
    atMost: 2_000,
  });
  compare(
    `resident MB while a history of ${plain(CHATS)} chats is read`,
    [(highestRss - beforeHistory.rss) / MB],
    {
      atMost: 30,
    },
  );
} finally {
  await server.stop();
  await wa.stop();
  removeDirectory(directory);
}

function start(aheadMs = 0): Promise<MeasuredServer> {
  return startMeasuredServer('whatsapp-server.ts', {
    directory,
    env: { FAKE_WHATSAPP: JSON.stringify(wa.client), CLOCK_AHEAD_MS: String(aheadMs) },
  });
}

/** Links numbers, some of them concurrently. `prepare` gets each account before. */
async function linkAll(
  count: number,
  from: number,
  prepare: (account: Account) => Promise<void> = async () => {},
): Promise<readonly Linked[]> {
  const numbers: Linked[] = [];
  const left = Array.from({ length: count }, (_, index) => from + index).entries();
  const worker = async (): Promise<void> => {
    for (const [place, index] of left) {
      const account = await wa.account(`55119000${digits(index)}`, { name: `Shop ${index}` });
      const person = await wa.person(`55118000${digits(index)}`, { name: `Customer ${index}` });
      await prepare(account);
      numbers[place] = { id: await linkNumber(wa, server.api, account), account, person };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return numbers;
}

async function exchangeMessages({ id, account, person }: Linked): Promise<void> {
  for (let index = 0; index < MESSAGES / 2; index += 1) {
    await sendText(server.api, id, person, `out ${index}`);
    await wa.inbound(person, account, `in ${index}`);
  }
  await until(async () => (await wa.inbox(person)).length === MESSAGES / 2);
  const query = { instance: id, direction: 'inbound', limit: 100 } as const;
  await until(async () => unwrap(await server.api.messages.list(query)).data.length === MESSAGES / 2);
}

/**
 * Half of the files are being sent, and half are being downloaded, all to and from other people than those who get the
 * texts. Returns how long each text took from its request until the network had it.
 */
async function textsWhileFilesStall(numbers: readonly Linked[]): Promise<readonly number[]> {
  await wa.failMedia('silence', STALLED_REQUESTS);
  await Promise.all(numbers.map((linked, place) => stallFiles(linked, place)));
  const took: number[] = [];
  const began = now();
  await Promise.all(
    numbers.map(async (linked, place) => {
      for (let index = 0; index < TEXTS; index += 1) {
        // Numbers take turns within each interval.
        await wait(Math.max(0, began + (index + place / numbers.length) * TEXT_EVERY_MS - now()));
        const sentAt = now();
        const text = `while files stall, ${index}`;
        await sendText(server.api, linked.id, linked.person, text);
        void arrivalOf(linked, text).then((arrivedAt) => took.push(arrivedAt - sentAt));
      }
    }),
  );
  await until(async () => took.length === numbers.length * TEXTS);
  return took;
}

async function stallFiles({ id, account }: Linked, place: number): Promise<void> {
  const bytes = Buffer.alloc(20_000, 1);
  for (let index = 0; index < FILES; index += 1) {
    const other = await wa.person(`55117${digits(place)}${String(index).padStart(4, '0')}`);
    if (index % 2 === 0) {
      const file = new File([bytes], 'a.bin', { type: 'application/octet-stream' });
      unwrap(await server.api.messages.send({ instance: id, to: other.phoneNumber, type: 'document', file }));
    } else
      await wa.inbound(other, account, { type: 'document', mimeType: 'application/octet-stream', bytes });
  }
}

/** Starts the server again, and lets each number send a text. Resolves when the network has all of them. */
async function restart(numbers: readonly Linked[], aheadMs: number): Promise<void> {
  server = await start(aheadMs);
  const text = `again, ${aheadMs}`;
  await Promise.all(
    numbers.map(async (linked) => {
      await sendText(server.api, linked.id, linked.person, text);
      await arrivalOf(linked, text);
    }),
  );
}

async function sendText(
  api: TrunklineClient,
  instance: string,
  { phoneNumber }: Person,
  text: string,
): Promise<void> {
  unwrap(await api.messages.send({ instance, to: phoneNumber, type: 'text', text }));
}

/** When the network got the text. */
async function arrivalOf({ account }: Linked, text: string): Promise<number> {
  for (;;) {
    const sent = await wa.sentMessages({ from: account });
    const found = sent.find(({ content }) => content.type === 'text' && content.text === text);
    if (found) return found.receivedAt;
    await wait(100);
  }
}

/** Throws if a person's phone shows more or fewer texts than `count`, or if one was sent twice. */
async function checkOnce(numbers: readonly Linked[], count: number): Promise<void> {
  for (const { account, person } of numbers) {
    await until(async () => (await wa.inbox(person)).length === count);
    const sent = await wa.sentMessages({ from: account });
    const stanzas = sent.filter(({ content }) => content.type === 'text').length;
    if (stanzas !== count)
      throw new Error(`${account.phoneNumber} sent ${stanzas} stanzas for ${count} messages`);
  }
}

function loads(averages: readonly number[]): string {
  return plain(averages[0] ?? 0, 1);
}

function digits(index: number): string {
  return String(index).padStart(5, '0');
}
