// A service with the sandbox network that is killed under load. Arguments: the database, the network's file, the
// receiver's URL, the number of the run, the work (`set up`, `light load`, `full load` or `rest`), the places as JSON,
// and for `rest` a file with all accepted messages as JSON. Prints each accepted message on a line: `accepted <place>
// <text> <id>`, each accepted action on one: `acted <kind> <text> <id>`, and each cancelled message: `cancelled <text>`.
// Under full load, once each place sends as many messages at the same time as it may, prints on lines `sending <count>`
// how many the network has not responded to.
import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { createTrunkline, silentLogger, TrunklineError } from '@trunkline/core';
import type { Storage, WorkspaceApi } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Clock, Gateway, SendOutcome } from '@trunkline/core/spi/gateway';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { openSandboxJournal } from '../../../src/networks/sandbox-journal.ts';

/** A workspace with one instance, and an endpoint that is notified of sent messages. */
export interface Place {
  readonly workspaceId: string;
  readonly instance: string;
  readonly secret: string;
}

/** The text is the idempotency key, too. */
export interface Accepted {
  readonly place: number;
  readonly text: string;
  readonly id: string;
  /** The action on it; null if none was accepted. */
  readonly action: { readonly id: string; readonly kind: string } | null;
}

const PLACES = 20;
/** Callers per place, which send as fast as responses come, each to its own recipients in turn. At most ten. */
const CALLERS = 4;
const RECIPIENTS = 5;
/** Under full load, the network responds within this time, so that a kill comes before most of its responses. */
const RESPONSE_WITHIN_MS = 1_500;
const PRINT_SENDING_EVERY_MS = 10;
/** How much faster time goes once all is read, so that the rate limit of each endpoint delays the last webhooks less. */
const LAST_SPEED = 5;
const LIGHT_EVERY_MS = 40;
/** Every third message is scheduled, so that kills come before, while and after it becomes due. */
const SCHEDULED_IN_MS = 150;
/** Every other scheduled message is cancelled at a random moment until then, which is around the time when it is due. */
const CANCELLED_WITHIN_MS = 2 * SCHEDULED_IN_MS;
/** Each message that is not scheduled gets one of these actions in turn. */
const ACTIONS = ['reaction', 'edit', 'deletion'] as const;
const REACTION = '👍';
/** Ends the text of a message that was edited. */
const EDITED = '~edited';
const REPEATED_TOGETHER = 100;
const LOOK_EVERY_MS = 250;

const [database = '', networkFile = '', receiver = '', run = '', work = '', given = '[]', before = ''] =
  process.argv.slice(2);
const storage: Storage<never> = database.startsWith('postgres:')
  ? postgresStorage({ connectionString: database })
  : sqliteStorage({ path: database });
const journal = openSandboxJournal(networkFile);
if (!journal) throw new Error('The process before still has the network.');
const sandbox = createSandbox({ journal });
const runtime = nodeRuntime();
const clock = hurrying(runtime.clock);
const trunkline = createTrunkline({
  ...runtime,
  clock,
  storage,
  gateways: [work === 'full load' ? slowToRespond(sandbox.gateway) : sandbox.gateway],
  secretKey: 'a secret key of at least 32 characters',
  urlPolicy: 'local',
  logger: silentLogger,
});
await trunkline.start();

const places = work === 'set up' ? await setUp() : (JSON.parse(given) as readonly Place[]); // `set up` printed them
console.log(work === 'set up' ? JSON.stringify(places) : 'ready');
if (work === 'light load') await lightLoad();
if (work === 'full load') await Promise.all(places.map((_, index) => fullLoad(index)));
if (work === 'rest') {
  const accepted = JSON.parse(readFileSync(before, 'utf8')) as readonly Accepted[]; // as the test wrote it
  await repeat(accepted);
  await rest(accepted);
}
await trunkline.stop();
journal.close();

async function setUp(): Promise<readonly Place[]> {
  return Promise.all(
    Array.from({ length: PLACES }, async (_, index) => {
      const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: `Place ${index}` });
      const api = trunkline.workspace(workspaceId);
      const url = `${receiver}/${index}`;
      const { secret } = await api.webhooks.create({ url, events: ['message.sent'] });
      const { id: instance } = await api.instances.create();
      await api.instances.connect(instance);
      await untilStatus(api, instance, 'qr_required');
      await sandbox.phone(instance).scan({});
      await untilStatus(api, instance, 'connected');
      return { workspaceId, instance, secret };
    }),
  );
}

async function untilStatus(api: WorkspaceApi, instance: string, status: string): Promise<void> {
  while ((await api.instances.get(instance)).status !== status) await setTimeout(20);
}

async function lightLoad(): Promise<void> {
  for (let count = 0; ; count += 1) {
    await send(count % places.length, timed(`${run}-${count}`, count), count);
    await setTimeout(LIGHT_EVERY_MS);
  }
}

/** Each caller sends its next message once the previous one was accepted. */
async function fullLoad(index: number): Promise<void> {
  const call = async (caller: number): Promise<void> => {
    for (let count = 0; ; count += 1)
      await send(index, timed(`${run}-${index}-${caller}-${count}`, count), count);
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
}

/** A text, with the time at which its message is sent if it is scheduled. */
function timed(text: string, count: number): string {
  return count % 3 === 2 ? `${text}@${Date.now() + SCHEDULED_IN_MS}` : text;
}

async function send(index: number, text: string, count: number): Promise<void> {
  const { message } = await sendFrom(index, text);
  console.log(`accepted ${index} ${text} ${message.id}`);
  if (text.includes('@')) {
    if (count % 2 === 0) void cancelSoon(index, text, message.id);
  } else {
    const { action } = await actFrom(index, text, message.id);
    console.log(`acted ${action.kind} ${text} ${action.id}`);
  }
}

async function cancelSoon(index: number, text: string, id: string): Promise<void> {
  await setTimeout(CANCELLED_WITHIN_MS * Math.random());
  try {
    await placeAt(index).api.messages.cancel(id);
    console.log(`cancelled ${text}`);
  } catch (error) {
    // It was due already.
    if (!(error instanceof TrunklineError && error.code === 'INVALID_MESSAGE_STATE')) throw error;
  }
}

function actFrom(index: number, text: string, id: string): ReturnType<WorkspaceApi['messages']['react']> {
  const { messages } = placeAt(index).api;
  const how = { idempotencyKey: text };
  switch (ACTIONS[countOf(text) % ACTIONS.length]) {
    case 'edit':
      return messages.edit(id, { text: text + EDITED }, how);
    case 'deletion':
      return messages.deleteForEveryone(id, how);
    default:
      return messages.react(id, { emoji: REACTION }, how);
  }
}

/** How many messages that are not scheduled were sent before this one, which is one of them. */
function countOf(text: string): number {
  const count = Number(text.split('-').at(-1));
  return count - Math.floor(count / 3);
}

function placeAt(index: number): { readonly api: WorkspaceApi; readonly instance: string } {
  const place = places[index];
  if (!place) throw new Error(`There is no place ${index}.`);
  return { api: trunkline.workspace(place.workspaceId), instance: place.instance };
}

function sendFrom(index: number, text: string): ReturnType<WorkspaceApi['messages']['send']> {
  const { api, instance } = placeAt(index);
  const [, time] = text.split('@');
  const sendAt = time === undefined ? undefined : new Date(Number(time)).toISOString();
  const message = { instance, to: recipientOf(text), type: 'text', text, send_at: sendAt } as const;
  return api.messages.send(message, { idempotencyKey: text });
}

/**
 * No two callers send to the same recipient, and scheduled messages have recipients of their own, so that the counts in
 * the texts are the order in each chat.
 */
function recipientOf(text: string): string {
  const [name = '', time] = text.split('@');
  const parts = name.split('-').map(Number);
  const [caller = 0] = parts.slice(2, -1);
  return `15550${time === undefined ? 1 : 2}${caller}${(parts.at(-1) ?? 0) % RECIPIENTS}`;
}

/**
 * Reuses each key, and prints the keys for which the service did not return the original message or action, and what
 * was cancelled.
 */
async function repeat(accepted: readonly Accepted[]): Promise<void> {
  for (let from = 0; from < accepted.length; from += REPEATED_TOGETHER) {
    const some = accepted.slice(from, from + REPEATED_TOGETHER);
    await Promise.all(
      some.map(async ({ place, text, id, action }) => {
        const { message, replayed } = await sendFrom(place, text);
        if (!replayed || message.id !== id) console.log(`forgotten ${text}`);
        if (message.error?.code === 'cancelled') console.log(`cancelled ${text}`);
        if (action === null) return;
        const again = await actFrom(place, text, id);
        if (!again.replayed || again.action.id !== action.id) console.log(`forgotten ${text}`);
      }),
    );
  }
  console.log(`repeated ${accepted.length}`);
}

async function rest(accepted: readonly Accepted[]): Promise<void> {
  while (!(await isAllRead())) await setTimeout(LOOK_EVERY_MS);
  for (const { place, text, id, action } of accepted) {
    if (action === null) continue;
    while (await isQueued(place, id, action.id)) await setTimeout(LOOK_EVERY_MS);
    const { text: now, deleted_at } = await placeAt(place).api.messages.get(id);
    const expected = { reaction: text, edit: text + EDITED, deletion: null }[action.kind];
    if (now !== expected || (deleted_at === null) === (action.kind === 'deletion'))
      console.log(`unchanged ${text}`);
  }
  console.log('all read');
  clock.hurry();
  for await (const _ of process.stdin);
}

async function isAllRead(): Promise<boolean> {
  for (const { workspaceId } of places) {
    const { messages } = trunkline.workspace(workspaceId);
    const { data } = await messages.list({ status: 'queued,sent,delivered', limit: 1 });
    if (data.length > 0) return false;
  }
  return true;
}

async function isQueued(place: number, messageId: string, actionId: string): Promise<boolean> {
  const { data } = await placeAt(place).api.messages.actions(messageId);
  return data.some(({ id, status }) => id === actionId && status === 'queued');
}

/** Passes each message and action on, but withholds the response until every place sends as much as it may, or longer. */
function slowToRespond(gateway: Gateway): Gateway {
  const { sendsAtOnce = 1 } = gateway;
  const sending = new Map<string, number>();
  const total = (): number => [...sending.values()].reduce((sum, count) => sum + count, 0);
  const full = Promise.withResolvers<void>();
  void full.promise.then(() => {
    setInterval(() => console.log(`sending ${total()}`), PRINT_SENDING_EVERY_MS);
  });
  return {
    ...gateway,
    async open(session, ...rest) {
      const connection = await gateway.open(session, ...rest);
      const change = (by: 1 | -1): void => {
        sending.set(session.instanceId, (sending.get(session.instanceId) ?? 0) + by);
        if (total() >= PLACES * sendsAtOnce) full.resolve();
      };
      const respondSlowly = async (outcome: Promise<SendOutcome> | undefined): Promise<SendOutcome> => {
        if (!outcome) throw new Error('The sandbox carries out actions.');
        await outcome;
        change(1);
        await full.promise;
        await setTimeout(RESPONSE_WITHIN_MS * Math.random());
        change(-1);
        return outcome;
      };
      return {
        ...connection,
        send: (message) => respondSlowly(connection.send(message)),
        act: (action) => respondSlowly(connection.act?.(action)),
      };
    },
  };
}

/** The clock, until `hurry` makes it faster. */
function hurrying(clock: Clock): Clock & { hurry(): void } {
  let from = Infinity;
  const ahead = (): number => Math.max(0, clock.elapsed() - from) * (LAST_SPEED - 1);
  return {
    now: () => clock.now() + ahead(),
    elapsed: () => clock.elapsed() + ahead(),
    setTimer: (delayMs, callback) =>
      clock.setTimer(from === Infinity ? delayMs : delayMs / LAST_SPEED, callback),
    hurry() {
      from = clock.elapsed();
    },
  };
}
