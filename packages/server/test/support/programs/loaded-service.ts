// A service with the sandbox network that is killed under load. Arguments: the database, the network's file, the
// receiver's URL, the number of the run, the work (`set up`, `light load`, `late load`, `full load` or `rest`), the number
// of places for `set up` and else the places as JSON, and for `rest` a file with everything accepted as JSON. Prints each
// accepted step on a line: `accepted <place> <name> <id of its message>`, each accepted action on one: `acted <deed>
// <name> <id>`, each cancelled message: `cancelled <name>`, and each message that the network has for an instance:
// `arrived <text>`. `rest` prints what became of all.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createTrunkline, silentLogger, TrunklineError } from '@trunkline/core';
import type { MessageResource, Storage, WorkspaceApi } from '@trunkline/core';
import { fileMediaStore, nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import type { SandboxMessage } from '@trunkline/core/sandbox';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { openSandboxJournal } from '../../../src/networks/sandbox-journal.ts';
import { hurryingClock } from '../load/hurrying-clock.ts';
import { slowToRespond } from '../load/slow-gateway.ts';
import {
  editedWordsOf,
  isCancelled,
  isScheduledAt,
  messageOf,
  receivedIn,
  recipientOf,
  stepOf,
  wordsOf,
} from '../load/step.ts';
import type { Deed } from '../load/step.ts';

/** A workspace with one instance, and an endpoint that is notified of sent messages. */
export interface Place {
  readonly workspaceId: string;
  readonly instance: string;
  readonly secret: string;
}

/** A step of which a message was accepted. Its name is the idempotency key, too. */
export interface Accepted {
  readonly place: number;
  readonly name: string;
  /** The id of the message that was sent, or of the last one that was received. */
  readonly id: string;
  /** The accepted actions on it, with their ids. */
  readonly actions: readonly (readonly [Deed, string])[];
}

/** Everything that services accepted before the last one. */
export interface AcceptedBefore {
  readonly steps: readonly Accepted[];
  /** The texts of the messages that the network had for the instances. */
  readonly arrived: readonly string[];
}

/** Callers per place, which send as fast as responses come, each to its own recipients in turn. At most ten. */
const CALLERS = 4;
/** How much faster time goes once all is read, so that the rate limit of each endpoint delays the last webhooks less. */
const LAST_SPEED = 5;
const LIGHT_EVERY_MS = 40;
/** Every third message is scheduled, so that kills come before, while and after it becomes due. */
const SCHEDULED_IN_MS = 150;
/** Every other scheduled message is cancelled at a random moment until then, which is around the time when it is due. */
const CANCELLED_WITHIN_MS = 2 * SCHEDULED_IN_MS;
const REACTION = '👍';
const REPEATED_TOGETHER = 100;
const LOOK_EVERY_MS = 250;
const LOOK_SOON_MS = 40;
const PAGE_LIMIT = 100;

const [database = '', networkFile = '', receiver = '', run = '', work = '', given = '', before = ''] =
  process.argv.slice(2);
const storage: Storage<never> = database.startsWith('postgres:')
  ? postgresStorage({ connectionString: database })
  : sqliteStorage({ path: database });
const journal = openSandboxJournal(networkFile);
if (!journal) throw new Error('The process before still has the network.');
/** Made by `set up`, which has printed them for the others. */
const placesBefore = work === 'set up' ? [] : (JSON.parse(given) as readonly Place[]);
const sandbox = createSandbox({ journal });
const runtime = nodeRuntime();
const clock = hurryingClock(runtime.clock, LAST_SPEED);
const trunkline = createTrunkline({
  ...runtime,
  clock,
  storage,
  media: fileMediaStore({ directory: join(dirname(networkFile), 'media') }),
  gateways: [work === 'full load' ? slowToRespond(sandbox.gateway, placesBefore.length) : sandbox.gateway],
  secretKey: 'a secret key of at least 32 characters',
  urlPolicy: 'local',
  logger: silentLogger,
});
await trunkline.start();

const places = work === 'set up' ? await setUp(Number(given)) : placesBefore;
// A late load is a light load that lets the network catch up with the full loads before, so that no queue overflows.
if (work === 'late load') while (!(await isNothing('queued'))) await setTimeout(LOOK_SOON_MS);
console.log(work === 'set up' ? JSON.stringify(places) : 'ready');
if (work === 'light load' || work === 'late load') await lightLoad();
if (work === 'full load') await Promise.all(places.map((_, index) => fullLoad(index)));
if (work === 'rest') {
  const { steps, arrived } = JSON.parse(readFileSync(before, 'utf8')) as AcceptedBefore; // as the test wrote it
  await repeat(steps);
  await rest(steps, arrived);
}
await trunkline.stop();
journal.close();

async function setUp(count: number): Promise<readonly Place[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
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
    await takeStep(count % places.length, named(run, count));
    await setTimeout(LIGHT_EVERY_MS);
  }
}

/** Each caller takes its next step once the previous one was accepted. */
async function fullLoad(index: number): Promise<void> {
  const call = async (caller: number): Promise<void> => {
    for (let count = 0; ; count += 1) await takeStep(index, named(`${run}-${index}-${caller}`, count));
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
}

function named(path: string, count: number): string {
  const name = `${path}-${count}`;
  return isScheduledAt(count) ? `${name}@${Date.now() + SCHEDULED_IN_MS}` : name;
}

async function takeStep(index: number, name: string): Promise<void> {
  const { content, deeds } = stepOf(name);
  const { id } = content === 'received' ? await receive(index, name) : (await send(index, name)).message;
  console.log(`accepted ${index} ${name} ${id}`);
  if (isCancelled(name)) void cancelSoon(index, name, id);
  for (const deed of deeds) {
    const { action } = await act(index, name, id, deed);
    console.log(`acted ${deed} ${name} ${action.id}`);
  }
}

function placeAt(index: number): { readonly api: WorkspaceApi; readonly instance: string } {
  const place = places[index];
  if (!place) throw new Error(`There is no place ${index}.`);
  return { api: trunkline.workspace(place.workspaceId), instance: place.instance };
}

function send(index: number, name: string): ReturnType<WorkspaceApi['messages']['send']> {
  const { api, instance } = placeAt(index);
  return api.messages.send(messageOf(name, instance), { idempotencyKey: name });
}

/** Lets the instance receive the messages of the step. Resolves with the last one once it is stored. */
async function receive(index: number, name: string): Promise<MessageResource> {
  const { api, instance } = placeAt(index);
  const from = recipientOf(name);
  const texts = receivedIn(name);
  for (const text of texts) {
    await arrive(instance, { from, text, networkId: text });
    console.log(`arrived ${text}`);
  }
  for (;;) {
    // Nothing else comes into the chat meanwhile.
    const [last] = (await api.messages.list({ instance, counterpart: from, limit: 1 })).data;
    if (last && last.text === texts.at(-1)) return last;
    await setTimeout(LOOK_SOON_MS);
  }
}

/** Resolves when the network has the message, which it takes once the instance has connected after the start. */
async function arrive(instance: string, message: SandboxMessage): Promise<void> {
  for (;;)
    try {
      await sandbox.phone(instance).receive(message);
      return;
    } catch (error) {
      if (!isInvalid(error, 'INVALID_INSTANCE_STATE')) throw error;
      await setTimeout(LOOK_SOON_MS);
    }
}

async function cancelSoon(index: number, name: string, id: string): Promise<void> {
  await setTimeout(CANCELLED_WITHIN_MS * Math.random());
  try {
    await placeAt(index).api.messages.cancel(id);
    console.log(`cancelled ${name}`);
  } catch (error) {
    // It was due already.
    if (!isInvalid(error, 'INVALID_MESSAGE_STATE')) throw error;
  }
}

function isInvalid(error: unknown, code: 'INVALID_INSTANCE_STATE' | 'INVALID_MESSAGE_STATE'): boolean {
  return error instanceof TrunklineError && error.code === code;
}

function act(
  index: number,
  name: string,
  id: string,
  deed: Deed,
): ReturnType<WorkspaceApi['messages']['react']> {
  const { messages } = placeAt(index).api;
  const how = { idempotencyKey: `${name}/${deed}` };
  const words = editedWordsOf(name);
  switch (deed) {
    case 'reaction':
      return messages.react(id, { emoji: REACTION }, how);
    case 'removal':
      return messages.removeReaction(id, how);
    case 'edit':
      return messages.edit(id, stepOf(name).content === 'image' ? { caption: words } : { text: words }, how);
    case 'deletion':
      return messages.deleteForEveryone(id, how);
    case 'read_mark':
      return messages.markRead(id, how);
  }
}

/**
 * Reuses each key, and prints the keys for which the service did not return the original message or action, and what
 * was cancelled.
 */
async function repeat(accepted: readonly Accepted[]): Promise<void> {
  for (let from = 0; from < accepted.length; from += REPEATED_TOGETHER) {
    const some = accepted.slice(from, from + REPEATED_TOGETHER);
    await Promise.all(
      some.map(async ({ place, name, id, actions }) => {
        if (stepOf(name).content !== 'received') {
          const { message, replayed } = await send(place, name);
          if (!replayed || message.id !== id) console.log(`forgotten ${name}`);
          if (message.error?.code === 'cancelled') console.log(`cancelled ${name}`);
        }
        for (const [deed, actionId] of actions) {
          const { action, replayed } = await act(place, name, id, deed);
          if (!replayed || action.id !== actionId) console.log(`forgotten ${name}/${deed}`);
        }
      }),
    );
  }
  console.log(`repeated ${accepted.length}`);
}

async function rest(steps: readonly Accepted[], arrived: readonly string[]): Promise<void> {
  while (!(await isNothing('queued,sent,delivered'))) await setTimeout(LOOK_EVERY_MS);
  for (const { place, name, id, actions } of steps) {
    if (actions.length === 0) continue;
    while (await isAnyQueued(place, id)) await setTimeout(LOOK_EVERY_MS);
    if (!isChanged(await placeAt(place).api.messages.get(id), name)) console.log(`unchanged ${name}`);
  }
  await showReceived(arrived);
  console.log('all read');
  clock.hurry();
  for await (const _ of process.stdin);
}

/** Whether no message has one of these statuses. */
async function isNothing(status: string): Promise<boolean> {
  for (const { workspaceId } of places) {
    const { messages } = trunkline.workspace(workspaceId);
    const { data } = await messages.list({ status, limit: 1 });
    if (data.length > 0) return false;
  }
  return true;
}

async function isAnyQueued(place: number, messageId: string): Promise<boolean> {
  const { data } = await placeAt(place).api.messages.actions(messageId);
  return data.some(({ status }) => status === 'queued');
}

/** Whether the message shows what the actions of its step made of it. */
function isChanged(message: MessageResource, name: string): boolean {
  const { deeds } = stepOf(name);
  const isDeleted = deeds.includes('deletion');
  if ((message.deleted_at !== null) !== isDeleted) return false;
  if (deeds.includes('read_mark')) return message.read_at !== null;
  const words = message.text ?? message.caption;
  if (isDeleted) return words === null;
  if (deeds.includes('edit')) return words === editedWordsOf(name);
  return wordsOf(name) === null || words === wordsOf(name);
}

/**
 * Prints `stored <place> <text> <read or unread>` for each received message, once all that arrived are there; those of a
 * place newest first.
 */
async function showReceived(arrived: readonly string[]): Promise<void> {
  for (;;) {
    const received = await Promise.all(places.map((_, index) => receivedAt(index)));
    const texts = new Set(received.flat().map(({ text }) => text));
    if (arrived.every((text) => texts.has(text))) {
      for (const [index, messages] of received.entries())
        for (const { text, read_at } of messages)
          console.log(`stored ${index} ${text} ${read_at === null ? 'unread' : 'read'}`);
      return;
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}

/** The received messages of a place, whose read marks have all been carried out. */
async function receivedAt(index: number): Promise<readonly MessageResource[]> {
  const { messages } = placeAt(index).api;
  const received: MessageResource[] = [];
  let cursor: string | undefined;
  do {
    const page = await messages.list({ direction: 'inbound', limit: PAGE_LIMIT, cursor });
    for (const message of page.data) {
      // The acceptance of its mark may not have been printed.
      const isUnread = message.read_at === null;
      while (isUnread && (await isAnyQueued(index, message.id))) await setTimeout(LOOK_EVERY_MS);
      received.push(isUnread ? await messages.get(message.id) : message);
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return received;
}
