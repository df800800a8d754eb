import { join } from 'node:path';
import { expect, it } from 'vitest';
import { must } from '@trunkline/test-support';
import { builtProgram } from '@trunkline/test-support/built-program';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startChild } from '@trunkline/test-support/start-child';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ACCEPT = await builtProgram(new URL('support/programs/accept.ts', import.meta.url));
/** The numbers of messages after which processes are killed, in two concurrent series. */
const RUNS = isLongForm
  ? [
      [1, 50, 200, 500, 1000],
      [20, 100, 300, 700, 1500],
    ]
  : [[1, 500], [100]];

it('a process that is killed has lost nothing that it reported, and damaged nothing', async () => {
  const lanes = RUNS.map(async (counts) => {
    for (const count of counts) await killAfter(count);
  });
  await Promise.all(lanes);
});

async function killAfter(count: number): Promise<void> {
  const path = join(temporaryDirectory(), 'test.db');
  const child = startChild(ACCEPT, path);
  const workspaceId = must((await child.lines.next()).value);
  const reported: string[] = [];
  for await (const id of child.lines) {
    reported.push(id);
    if (reported.length === count) child.kill();
  }
  await child.ended;

  expect(reported.length).toBeGreaterThanOrEqual(count);
  expect(connectTo(path).prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  const { messages } = await openStorage(path);
  for (const id of reported) {
    expect(await messages.find(workspaceId, id)).toMatchObject({ id, status: 'queued' });
    expect(await messages.findIdempotencyRecord(workspaceId, id)).toMatchObject({ messageId: id });
  }
}
