import { expect, it } from 'vitest';
import { startDashboard } from './support/serve-dashboard.ts';

it('queues are those of one number, or of one workspace, and never of another', async () => {
  const { trunkline, workspaceId, connect } = await startDashboard();
  const { id } = await connect('Support');
  const [process] = await trunkline.admin.processes();
  const own = { instanceId: id, queued: 0, oldest: null, heldBy: process?.name };
  expect(await trunkline.admin.queues(workspaceId, id)).toEqual([own]);
  expect(await trunkline.admin.queues(workspaceId)).toEqual([]);
  const { id: other } = await trunkline.admin.workspaces.create({ name: 'Other' });
  expect(await trunkline.admin.queues(other, id)).toEqual([]);
  expect(await trunkline.admin.queues('nobody')).toEqual([]);
  expect(await trunkline.admin.queues(workspaceId, 'nothing')).toEqual([]);
});
