import { describe, expect, it } from 'vitest';
import type { TrafficResource } from '../src/index.ts';
import { floorId } from '../src/spi/storage.ts';
import { REFUSED } from '../src/testing/index.ts';
import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  STEP,
  connectInstance,
  connected,
  jumpAhead,
  listen,
  only,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { wrapMethods } from '../src/runtime/wrap-methods.ts';

const AWAY = new Error('the disk is away');

async function trafficOf({ api }: Pick<Harness, 'api'>, instance?: string): Promise<TrafficResource> {
  const { data } = await api.traffic.messages({ instance });
  expect(data).toHaveLength(1);
  return data[0] as TrafficResource; // the line above has checked its length
}

/** The sum of a day, after the counts were written. */
async function totalOf(harness: Harness, instance?: string): Promise<TrafficResource['total']> {
  await harness.clock.advance(10 * SECOND);
  return (await trafficOf(harness, instance)).total;
}

describe('the traffic of messages', () => {
  it('is counted for their instance and for the workspace, by what happened', async () => {
    const harness = await startHarness();
    const [one, two] = [await connectInstance(harness), await connectInstance(harness)];
    await sendText(harness, one, '15550100'); // the sandbox reports that it was delivered and read
    await sendText(harness, two, '15550003'); // the sandbox refuses this recipient
    await harness.sandbox.phone(one).receive({ from: '15550199', text: 'Hello' });
    await harness.clock.advance(MINUTE);
    const ofOne = { received: 1, sent: 1, delivered: 1, read: 1, failed: {} };
    expect(await totalOf(harness, one)).toMatchObject(ofOne);
    const failed = { recipient_refused: 1 };
    expect(await totalOf(harness, two)).toMatchObject({ received: 0, sent: 0, failed });
    expect(await trafficOf(harness)).toMatchObject({ instance_id: null, total: { ...ofOne, failed } });
    const both = await harness.api.traffic.messages({ instance: `${two},${one}` });
    expect(both.data.map(({ instance_id }) => instance_id)).toEqual([two, one]);
  });

  it('has the time until the network accepted them, since their acceptance or their send_at', async () => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    const { clock } = harness;
    await sendText(harness, instance, '15550100');
    await clock.advance(10 * STEP);
    const sendAt = new Date(clock.now() + HOUR).toISOString();
    await harness.api.messages.send({
      instance,
      to: '15550100',
      type: 'text',
      text: 'Later',
      send_at: sendAt,
    });
    await clock.advance(2 * HOUR);
    const { total, bounds_ms } = await trafficOf(harness);
    expect(bounds_ms).toEqual([100, 250, 500, 1_000, 5_000, 30_000, 300_000]);
    expect(total.sent).toBe(2);
    expect(total.time_to_network.classes.slice(5)).toEqual([0, 0, 0]);
    expect(total.time_to_network.classes.reduce((sum, count) => sum + count)).toBe(2);
    expect(total.time_to_network.p95_ms).toBeLessThanOrEqual(5_000);
  });

  it('counts the messages that fail with their queue, and one that is cancelled', async () => {
    const { harness, id } = await connected({ roles: only('api', 'gateway') });
    await harness.api.instances.disconnect(id);
    await harness.clock.settle();
    await harness.api.instances.connect(id);
    const sendAt = new Date(harness.clock.now() + DAY).toISOString();
    const scheduled = await harness.api.messages.send({
      instance: id,
      to: '15550100',
      type: 'text',
      text: 'Later',
      send_at: sendAt,
    });
    await harness.api.messages.cancel(scheduled.message.id);
    await harness.clock.advance(MINUTE);
    for (let count = 1; count <= 3; count += 1) await sendText(harness, id, '15550004'); // never gets a response
    await harness.api.instances.logout(id);
    const { failed } = await totalOf(harness, id);
    expect(failed).toEqual({ cancelled: 1, instance_logged_out: 3 });
  });

  it('leaves out messages that were sent with the phone', async () => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    await harness.sandbox.phone(instance).write({ to: '15550100', text: 'From the phone' });
    await harness.clock.advance(MINUTE);
    const messages = await harness.api.messages.list({ origin: 'device' });
    expect(messages.data).toHaveLength(1);
    expect(await totalOf(harness)).toMatchObject({ received: 0, sent: 0, delivered: 0, read: 0 });
  });

  it('is in the quarter of an hour in which it happened, and is added up by hours and days', async () => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    const receive = (): Promise<string> =>
      harness.sandbox.phone(instance).receive({ from: '15550199', text: 'Hello' });
    const hour = Math.ceil(harness.clock.now() / HOUR) * HOUR;
    // The sandbox takes a step to deliver a message.
    await harness.clock.advance(hour + 15 * MINUTE - 1 - STEP - harness.clock.now());
    await receive();
    await harness.clock.advance(STEP);
    await receive();
    await receive();
    await harness.clock.advance(HOUR);
    const starts = async (step: 'quarter' | 'hour' | 'day') => {
      const { data } = await harness.api.traffic.messages({ step });
      return data[0]?.periods.map(({ start, received }) => [Date.parse(start), received]);
    };
    expect(await starts('quarter')).toEqual([
      [hour, 1],
      [hour + 15 * MINUTE, 2],
    ]);
    expect(await starts('hour')).toEqual([[hour, 3]]);
    expect(await starts('day')).toEqual([[Math.floor(hour / DAY) * DAY, 3]]);
    const only15 = { from: new Date(hour).toISOString(), to: new Date(hour + 15 * MINUTE).toISOString() };
    expect((await harness.api.traffic.messages(only15)).data[0]?.total.received).toBe(1);
  });

  it('is written every ten seconds, and when the service stops', async () => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    const second = await harness.another({ roles: only('api') });
    const receive = (): Promise<string> =>
      harness.sandbox.phone(instance).receive({ from: '15550199', text: 'Hello' });
    await receive();
    await harness.clock.advance(9 * SECOND);
    expect((await trafficOf(second)).total.received).toBe(0);
    await harness.clock.advance(SECOND);
    expect((await trafficOf(second)).total.received).toBe(1);
    await receive();
    await harness.clock.advance(STEP);
    await harness.trunkline.stop();
    expect((await trafficOf(second)).total.received).toBe(2);
  });

  it('is kept while the database takes no counts, which is logged once, and added when it does', async () => {
    const storage = memoryStorage();
    let isAway = false;
    const traffic = wrapMethods(
      storage.traffic,
      (name, method) =>
        (...of) =>
          isAway && name === 'add' ? Promise.reject(AWAY) : method(...of),
    );
    const harness = await startHarness({ storage: { ...storage, traffic } });
    const instance = await connectInstance(harness);
    isAway = true;
    await harness.sandbox.phone(instance).receive({ from: '15550199', text: 'Hello' });
    await harness.clock.advance(30 * SECOND);
    expect((await trafficOf(harness)).total.received).toBe(0);
    const lines = harness.logs.filter(({ message }) => message.startsWith('counts of messages and webhooks'));
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    isAway = false;
    expect(await totalOf(harness)).toMatchObject({ received: 1 });
  });

  it('is kept for 30 days', async () => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    await harness.sandbox.phone(instance).receive({ from: '15550199', text: 'Hello' });
    await harness.clock.advance(10 * SECOND);
    const stored = () =>
      harness.storage.traffic.read(harness.workspaceId, {
        kind: 'instance',
        ids: [instance],
        from: 0,
        to: harness.clock.now(),
      });
    await jumpAhead(harness, 29 * DAY);
    expect(await stored()).toHaveLength(1);
    await jumpAhead(harness, 2 * DAY);
    expect(await stored()).toEqual([]);
  });

  it('is refused for a wrong range, and for instances that the workspace does not have', async () => {
    const { api, trunkline, clock } = await startHarness();
    const at = (ms: number): string => new Date(clock.now() + ms).toISOString();
    const wrong = [
      { from: at(0), to: at(0) },
      { from: at(1) },
      { from: at(-31 * DAY - 1), to: at(0) },
      { from: 'yesterday' },
      { step: 'week' },
      { instance: '' },
      { instance: Array.from({ length: 101 }, (_, index) => floorId('ins', index)).join(',') },
    ] as const;
    for (const query of wrong)
      // The types do not allow all of these queries.
      await expect(api.traffic.messages(query as object), JSON.stringify(query)).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
    const { id } = await api.instances.create();
    const { id: otherId } = await trunkline.admin.workspaces.create({ name: 'Other' });
    const other = trunkline.workspace(otherId).traffic;
    for (const instance of [id, 'ins_none', 'x,'])
      await expect(other.messages({ instance })).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    expect((await other.messages({ from: at(-31 * DAY) })).data).toHaveLength(1);
  });

  it('is read for a hundred instances and a day, but not for more than ten thousand quarters together', async () => {
    const { api, trunkline, workspaceId, clock } = await startHarness();
    await trunkline.admin.workspaces.setPlan(workspaceId, { instanceLimit: null });
    const created = await Promise.all(Array.from({ length: 100 }, () => api.instances.create()));
    const instance = created.map(({ id }) => id).join(',');
    expect((await api.traffic.messages({ instance })).data).toHaveLength(100);
    const from = new Date(clock.now() - 2 * DAY).toISOString();
    for (const step of ['quarter', 'day'] as const)
      await expect(api.traffic.messages({ instance, from, step })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { from: [expect.stringContaining('too early for so many ids')] } },
      });
  });
});

describe('the traffic of a webhook', () => {
  it('counts its attempts by their outcome and their duration', async () => {
    const harness = await startHarness();
    const { id } = await listen(harness);
    const attempt = async (response: Partial<typeof REFUSED>, tookMs: number): Promise<void> => {
      harness.sender.respond(async () => {
        harness.clock.jump(tookMs);
        return { ...REFUSED, ...response };
      });
      await harness.api.webhooks.test(id);
      await harness.clock.settle();
    };
    await attempt({ errorCode: null, responseStatus: 200 }, 40);
    await attempt({ errorCode: null, responseStatus: 204 }, 80);
    await attempt({ errorCode: 'HTTP_ERROR', responseStatus: 404 }, 700);
    await attempt({ errorCode: 'HTTP_ERROR', responseStatus: 503 }, 700);
    await attempt({ errorCode: 'TIMEOUT', responseStatus: null }, 10_000);
    await harness.clock.advance(10 * SECOND);
    const traffic = await harness.api.webhooks.traffic(id);
    expect(traffic).toMatchObject({ webhook_id: id, step: 'quarter' });
    expect(traffic.total).toEqual({
      succeeded: 2,
      failed: { HTTP_4XX: 1, HTTP_5XX: 1, TIMEOUT: 1 },
      duration: { p50_ms: 625, p95_ms: 5_000, classes: [1, 1, 0, 0, 2, 0, 0, 1] },
    });
    expect((await harness.api.traffic.webhooks()).data).toEqual([traffic]);
    expect((await harness.api.traffic.webhooks({ webhook: id })).data).toEqual([traffic]);
  });

  it('is unknown in another workspace, and after the webhook is deleted', async () => {
    const harness = await startHarness();
    const { id } = await listen(harness);
    const { id: otherId } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const other = harness.trunkline.workspace(otherId);
    const unknown = { code: 'WEBHOOK_NOT_FOUND' };
    await expect(other.webhooks.traffic(id)).rejects.toMatchObject(unknown);
    await expect(other.traffic.webhooks({ webhook: id })).rejects.toMatchObject(unknown);
    expect((await other.traffic.webhooks()).data).toEqual([]);
    await harness.api.webhooks.delete(id);
    await expect(harness.api.webhooks.traffic(id)).rejects.toMatchObject(unknown);
  });
});
