import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aWorkspace } from './support/examples.ts';
import { linesOf, startChild } from './support/child-process.ts';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

it('several processes may open a new file at once', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const children = Array.from({ length: 4 }, () => startChild('open', path));
  for (const child of children) expect((await child.lines.next()).value).toBe('ready');
  for (const child of children) child.go();
  const printed = (await Promise.all(children.map(linesOf))).flat();
  expect(printed).toHaveLength(4);
  expect(new Set(printed).size).toBe(1);
  expect(connectTo(path).prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});

it('a process that dies in the middle of a migration leaves none of it', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  await startChild('open-and-die', path).ended;
  expect(connectTo(path).prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toEqual({
    tables: 0,
  });
  const storage = await openStorage(path);
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
});
