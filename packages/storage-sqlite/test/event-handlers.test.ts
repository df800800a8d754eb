import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Event, Storage } from '@trunkline/core/spi/storage';
import { must } from '@trunkline/test-support';
import { builtProgram } from '@trunkline/test-support/built-program';
import { startChild } from '@trunkline/test-support/start-child';
import type { Child } from '@trunkline/test-support/start-child';
import { anEvent, anInstance, aSubscription, aWorkspace } from '@trunkline/storage-contract/examples';
import { openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const HANDLE_EVENTS = await builtProgram(new URL('support/programs/handle-events.ts', import.meta.url));
/** Longer than a claim lasts. */
const AFTER_THE_LEASE_MS = '61000';

it('an event whose handler’s process is killed is handled again by another process', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  await storage.subscriptions.register(aSubscription());
  const [event] = await happen(storage, 1);
  const victim = startChild(HANDLE_EVENTS, path, 'hang');
  expect(await linesOf(victim, 2)).toEqual(new Set(['ready', `${must(event).id} 1`]));
  victim.kill();
  await victim.ended;
  expect(await waiting(storage)).toBe(1);

  const heir = startChild(HANDLE_EVENTS, path, 'no', AFTER_THE_LEASE_MS);
  expect(await linesOf(heir, 2)).toEqual(new Set(['ready', `${must(event).id} 1`]));
  heir.go();
  await heir.ended;
  expect(await waiting(storage)).toBe(0);
});

it('processes on one file share the events: each is handled by one of them', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const children = [startChild(HANDLE_EVENTS, path), startChild(HANDLE_EVENTS, path)];
  for (const child of children) expect((await child.lines.next()).value).toBe('ready');
  const events = await happen(storage, 200);
  const handled: string[] = [];
  const reading = children.map(async ({ lines }) => {
    for await (const line of lines) {
      handled.push(line);
      if (handled.length === events.length) for (const child of children) child.go();
    }
  });
  await Promise.all([...reading, ...children.map(({ ended }) => ended)]);
  expect(handled.toSorted()).toEqual(events.map(({ id }) => `${id} 1`).toSorted());
  expect(await waiting(storage)).toBe(0);
});

/** Stores events by concurrent writes of instances. */
async function happen(storage: Storage, count: number): Promise<readonly Event[]> {
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  const events = Array.from({ length: count }, () => anEvent(workspace, Date.now()));
  const changes = events.map(async (event) => {
    const instance = anInstance(workspace);
    await storage.instances.insert(instance, null);
    await storage.instances.write({ instance, event, lease: null });
  });
  await Promise.all(changes);
  return events;
}

async function linesOf({ lines }: Child, count: number): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let line = 0; line < count; line += 1) found.add(must((await lines.next()).value));
  return found;
}

async function waiting({ subscriptions }: Storage): Promise<number> {
  return must((await subscriptions.list(1000))[0]).waiting;
}
