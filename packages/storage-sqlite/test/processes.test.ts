import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startHolding } from '@trunkline/storage-contract';
import { expect, it, onTestFinished } from 'vitest';
import { must } from '@trunkline/test-support';
import { linesOf, startChild } from '@trunkline/test-support/start-child';
import { isLongForm } from '@trunkline/test-support/long-form';
import { NOW, anEndpoint, anEvent, anInstance, aWorkspace } from '@trunkline/storage-contract/examples';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

it('processes on one file get each lease and each delivery once', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  const expected: string[] = [];
  for (let index = 0; index < 30; index += 1) {
    const [instance, endpoint] = [anInstance(workspace), anEndpoint(workspace)];
    await storage.instances.insert(instance, null);
    await storage.endpoints.insert(endpoint, 100);
    const events = Array.from({ length: 5 }, () => anEvent(workspace));
    const deliveries = await Promise.all(
      events.map((event) => storage.deliveries.enqueue(endpoint.id, event)),
    );
    expected.push(instance.id, ...deliveries.map((delivery) => must(delivery).id));
  }

  const children = [
    startChild(new URL('support/programs/take-all.ts', import.meta.url), path),
    startChild(new URL('support/programs/take-all.ts', import.meta.url), path),
  ];
  for (const child of children) expect((await child.lines.next()).value).toBe('ready');
  for (const child of children) child.go();
  const [one, two] = await Promise.all(children.map(linesOf));
  expect([...must(one), ...must(two)].toSorted()).toEqual(expected.toSorted());
});

it('a write waits while another process is writing', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const child = startChild(new URL('support/programs/hold.ts', import.meta.url), path);
  expect((await child.lines.next()).value).toBe('held');
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
  await child.ended;
});

it.runIf(isLongForm)(
  'processes that reach a file through different symbolic links know each other to be alive',
  async () => {
    const path = join(temporaryDirectory(), 'test.db');
    await (await openStorage(path)).close();
    const [one, other] = [temporaryDirectory(), temporaryDirectory()].map((directory) => {
      const link = join(directory, 'link.db');
      symlinkSync(path, link);
      return link;
    });
    const storage = await openStorage(must(one));
    const workspace = aWorkspace();
    await storage.workspaces.insert(workspace);
    await storage.instances.insert(anInstance(workspace), null);
    await storage.processes.releaseEnded?.(NOW);
    const program = new URL('support/programs/hold-everything.ts', import.meta.url);
    const child = await startHolding(program, must(other));
    onTestFinished(() => child.kill());
    // Pretends that the process is in another container, where only its lock proves that it lives.
    connectTo(path).exec("UPDATE processes SET namespace = 'pid:[1] time:[1]'");

    expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(0);
    await child.kill();
    expect(await storage.processes.releaseEnded?.(NOW + 2)).toBe(1);
  },
);

it('what a process in another container holds stays its own until its lock proves that it has ended', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  await storage.instances.insert(anInstance(workspace), null);
  const child = await startHolding(new URL('support/programs/hold-everything.ts', import.meta.url), path);
  onTestFinished(() => child.kill());
  // Pretends that the process id is from a namespace that this process cannot look into.
  connectTo(path).exec("UPDATE processes SET namespace = 'pid:[1] time:[1]'");

  expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(0);
  await child.kill();
  expect(await storage.processes.releaseEnded?.(NOW + 1)).toBe(1);
});
