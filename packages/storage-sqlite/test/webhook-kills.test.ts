import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import type { WorkspaceApi } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { eventually, must } from '@trunkline/test-support';
import { builtProgram } from '@trunkline/test-support/built-program';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { startChild } from '@trunkline/test-support/start-child';
import { sqliteStorage } from '../src/index.ts';
import type { Child } from '@trunkline/test-support/start-child';
import { LATER_MS, SECRET_KEY } from './support/kill-points.ts';
import type { KillPoint } from './support/kill-points.ts';
import { connectTo } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { startTlsReceiver } from './support/tls-receiver.ts';
import type { ReceivedRequest, TlsReceiver } from './support/tls-receiver.ts';

const SEND_WEBHOOKS = await builtProgram(new URL('support/programs/send-webhooks.ts', import.meta.url));
/** The number of kills at each point. */
const RUNS = sized('CRASH_RUNS', { short: 1, long: 3 });
const ENDPOINTS = 3;
const MOST_ON_THEIR_WAY = 2 * ENDPOINTS;

describe('kill -9 of the process that sends webhooks', { timeout: 60_000 + RUNS * 10_000 }, () => {
  it.runIf(isLongForm)(`after the claim, ${RUNS} times: each event is sent once`, async () => {
    const { receiver, reported } = await killAgainAndAgain('after the claim');
    for (const id of reported) expect(requestsOf(receiver, id)).toHaveLength(1);
  });

  it.runIf(isLongForm)(
    `during the request, ${RUNS} times: requests that were cut off come again`,
    async () => {
      const { receiver, reported } = await killAgainAndAgain('during the request');
      const cutOff = receiver.requests.filter(({ responded }) => !responded);
      expect(cutOff.length).toBeGreaterThanOrEqual(RUNS);
      for (const id of reported) {
        const requests = requestsOf(receiver, id);
        const wasCutOff = requests.length > 1;
        expect(requests.map(({ responded }) => responded)).toEqual(wasCutOff ? [false, true] : [true]);
      }
    },
  );

  it(`after the response and before the commit, ${RUNS} times: it comes again under its ids`, async () => {
    const { receiver, reported } = await killAgainAndAgain('after the response');
    const counts = reported.map((id) => requestsOf(receiver, id).length);
    expect(counts.filter((count) => count === 2).length).toBeGreaterThanOrEqual(RUNS);
    expect(Math.max(...counts)).toBe(2);
  });
});

/**
 * Kills one process after the other. Each clock is a minute ahead of the previous one, past the end of its claims, so
 * that each process first sends the deliveries that the previous one left. Returns the receiver and the reported
 * deliveries.
 */
async function killAgainAndAgain(point: KillPoint): Promise<{ receiver: TlsReceiver; reported: string[] }> {
  const path = join(temporaryDirectory(), 'test.db');
  const receiver = await startTlsReceiver();
  const { api, workspaceId } = await registerEndpoints(path, receiver);
  const start = (run: number, at: KillPoint | ''): Child =>
    startChild(SEND_WEBHOOKS, path, receiver.ca, workspaceId, String(run * LATER_MS), at);
  const reported: string[] = [];
  let lately: readonly string[] = [];

  for (let run = 0; run < RUNS; run += 1) {
    const child = start(run, point);
    expect((await child.lines.next()).value).toBe('ready');
    await untilSent(api, lately);
    if (point === 'during the request') receiver.hold(run % 2 === 0 ? 'silent' : 'half a response');
    child.go();
    lately = await linesUpTo(child, 'queued');
    reported.push(...lately);
    await untilThere(child, receiver, { point, ids: lately, count: 1 + (run % MOST_ON_THEIR_WAY) });
    child.kill();
    await child.ended;
    await receiver.deserted();
    receiver.hold(null);
  }
  const last = start(RUNS, '');
  await untilSent(api, lately);
  expect(heldSlots(path)).toBe(0);
  last.go();
  await last.ended;

  expect(reported).toHaveLength(RUNS * ENDPOINTS * 3);
  for (const id of reported) expectOneEvent(receiver, id);
  expect(receiver.refused).toEqual([]);
  // Unless requests are held, it depends on the machine whether two requests are open at the same time.
  expect(receiver.mostAtOnce()).toBeLessThanOrEqual(2);
  return { receiver, reported };
}

async function registerEndpoints(
  path: string,
  receiver: TlsReceiver,
): Promise<{ api: WorkspaceApi; workspaceId: string }> {
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage: sqliteStorage({ path }),
    gateways: [createSandbox().gateway],
    secretKey: SECRET_KEY,
    urlPolicy: 'local',
    roles: { gateway: false, webhooks: false, maintenance: false },
  });
  await trunkline.start();
  onTestFinished(() => trunkline.stop());
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const api = trunkline.workspace(workspaceId);
  for (let index = 0; index < ENDPOINTS; index += 1) {
    const endpoint = `/endpoint-${index}`;
    const { secret } = await api.webhooks.create({ url: receiver.url(endpoint), events: ['message.sent'] });
    receiver.learnSecret(endpoint, secret);
  }
  return { api, workspaceId };
}

/**
 * Waits until deliveries have succeeded, each at the first attempt that was completed. Lost claims do not count as
 * attempts.
 */
async function untilSent(api: WorkspaceApi, ids: readonly string[]): Promise<void> {
  const deliveries = await eventually(async () => {
    const found = await Promise.all(ids.map((id) => api.deliveries.get(id)));
    expect(found.map(({ status }) => status)).toEqual(ids.map(() => 'success'));
    return found;
  });
  for (const { attempts } of deliveries) expect(attempts).toBe(1);
}

/** Waits until the process, or the given number of its deliveries, has reached the kill point. */
async function untilThere(
  child: Child,
  receiver: TlsReceiver,
  {
    point,
    ids,
    count,
  }: { readonly point: KillPoint; readonly ids: readonly string[]; readonly count: number },
): Promise<void> {
  switch (point) {
    case 'after the claim':
      return expectHere(child);
    case 'after the response':
      for (let times = 0; times < count; times += 1) await expectHere(child);
      return;
    case 'during the request':
      await eventually(() =>
        expect(ids.flatMap((id) => requestsOf(receiver, id)).length).toBeGreaterThanOrEqual(count),
      );
  }
}

async function expectHere(child: Child): Promise<void> {
  expect((await child.lines.next()).value).toBe('here');
}

async function linesUpTo(child: Child, end: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (;;) {
    const { value, done } = await child.lines.next();
    if (value === end) return lines;
    if (done) await child.ended;
    lines.push(must(value));
  }
}

function requestsOf({ requests }: TlsReceiver, deliveryId: string): readonly ReceivedRequest[] {
  return requests.filter((request) => request.deliveryId === deliveryId);
}

/** Expects every request of a delivery to carry the same event, and the last one to have a response. */
function expectOneEvent(receiver: TlsReceiver, deliveryId: string): void {
  const requests = requestsOf(receiver, deliveryId);
  expect(new Set(requests.map(({ eventId }) => eventId)).size).toBe(1);
  expect(must(requests.at(-1)).responded).toBe(true);
}

function heldSlots(path: string): number {
  return connectTo(path).prepare('SELECT * FROM claims').all().length;
}
