import { describe, expect, it } from 'vitest';
import type { HistoryReason, InstanceHistoryResource } from '../src/index.ts';
import { killable } from './support/killable.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';
import {
  connected,
  connectInstance,
  DAY,
  HOUR,
  jumpAhead,
  MINUTE,
  only,
  SECOND,
  startHarness,
  STEP,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

/** The whole history of an instance, oldest first. */
async function historyOf(
  { trunkline, workspaceId }: Harness,
  id: string,
): Promise<readonly InstanceHistoryResource[]> {
  const { data } = await trunkline.admin.instances.history(workspaceId, id, { limit: 100 });
  return data.toReversed();
}

const reasonsOf = (entries: readonly InstanceHistoryResource[]) => entries.map(({ reason }) => reason);

describe('the history of an instance', () => {
  it('shows how it was paired, and what caused each step', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const history = await historyOf(harness, id);
    expect(history.map(({ reason, from, to, caused_by: by }) => [reason, from, to, by])).toEqual([
      ['created', null, 'created', 'api'],
      ['connect_requested', 'created', 'connecting', 'api'],
      ['pairing_begun', 'connecting', 'qr_required', 'gateway'],
      ['paired', 'qr_required', 'connected', 'gateway'],
    ]);
    const [created, , shown, paired] = history;
    expect(created).toMatchObject({ instance_id: id, count: 1, process: null, next: null });
    expect(shown).toMatchObject({
      next: { kind: 'scan_qr', text: expect.stringMatching(/^needs a scan of its QR within \d+ s$/) },
    });
    expect(paired).toMatchObject({ process: expect.any(String), next: null, previous_process: null });
  });

  it('has the drop with the network’s own code and the next attempt, and the connection that is back', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    const closed = { kind: 'dropped', detail: 'connection_closed', networkCode: '428' } as const;
    await gateway.last().listener.closed(closed);
    await harness.clock.advance(5 * SECOND);
    const [drop, back] = (await historyOf(harness, id)).slice(-2);
    expect(drop).toMatchObject({
      reason: 'connection_dropped',
      from: 'connected',
      to: 'connecting',
      code: 'connection_closed',
      network_code: '428',
      next: { kind: 'reconnect', text: expect.stringMatching(/^reconnecting in \d s$/) },
    });
    expect(back).toMatchObject({ reason: 'reconnected', from: 'connecting', to: 'connected', next: null });
  });

  it('bounds what the network says, and keeps it printable', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    const networkCode = `\u0000\u001b[31m😀${'x'.repeat(1_000_000)}`;
    await gateway
      .last()
      .listener.closed({ kind: 'dropped', detail: `lost ${'y'.repeat(1000)}`, networkCode });
    const entry = (await historyOf(harness, id)).find(({ reason }) => reason === 'connection_dropped');
    expect(entry?.network_code).toMatch(/^[ -~]{64}$/);
    expect(entry?.code).toHaveLength(64);
  });

  it('counts the tries of an outage in few entries, and says when each was last', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    gateway.script.opened = ({ listener }) =>
      listener.closed({ kind: 'dropped', detail: 'network_unavailable', networkCode: '503' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost', networkCode: '408' });
    const before = gateway.connections.length;
    await harness.clock.advance(50 * MINUTE);
    const history = await historyOf(harness, id);
    const failed = history.filter(({ reason }) => reason === 'connect_failed');
    const lost = history.filter(({ reason }) => reason === 'connection_lost');
    expect(lost).toMatchObject([{ from: 'connecting', to: 'disconnected', caused_by: 'service', count: 1 }]);
    expect(failed.map(({ from }) => from)).toEqual(['connecting', 'disconnected']);
    const tries = failed.reduce((sum, { count }) => sum + count, 0);
    expect(tries).toBe(gateway.connections.length - before);
    const latest = failed.at(-1);
    expect(Date.parse(latest?.last_at ?? '')).toBeGreaterThan(harness.clock.now() - 2 * MINUTE);
    expect(latest?.next).toMatchObject({ kind: 'reconnect' });
    expect(Date.parse(latest?.next?.at ?? '')).toBeGreaterThan(harness.clock.now());
  });

  it('stays small if a number flaps without end, and still shows each hour of it', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    const drop = () =>
      gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost', networkCode: '428' });
    let drops = 0;
    for (const end = harness.clock.now() + 6 * HOUR; harness.clock.now() < end;) {
      await drop();
      drops += 1;
      while ((await harness.api.instances.get(id)).status !== 'connected') {
        await harness.clock.advance(MINUTE);
      }
    }
    const entries = await historyOf(harness, id);
    const counted = entries
      .filter(({ reason }) => reason === 'connection_dropped')
      .reduce((sum, { count }) => sum + count, 0);
    expect(counted).toBe(drops);
    expect(drops).toBeGreaterThan(60);
    // A few entries an hour, so that a week like this adds fewer than a thousand.
    expect(entries.length).toBeLessThan(30);
    const hours = new Set(
      entries.filter(({ reason }) => reason === 'connection_dropped').map(({ at }) => at.slice(0, 13)),
    );
    expect(hours.size).toBe(6);
  });

  it('is bounded if a program connects and disconnects without end, and counts each time', async () => {
    const { harness, id } = await connected();
    const { trunkline, workspaceId, api, clock } = harness;
    const [began, rounds] = [clock.now(), 80];
    for (let round = 0; round < rounds; round += 1) {
      const stopping = api.instances.disconnect(id);
      await clock.advance(STEP);
      await stopping;
      await api.instances.connect(id);
      await clock.advance(SECOND);
    }
    expect(clock.now() - began).toBeLessThan(HOUR);
    const entries: InstanceHistoryResource[] = [];
    let page = await trunkline.admin.instances.history(workspaceId, id, { limit: 100 });
    for (entries.push(...page.data); page.nextCursor !== null; entries.push(...page.data)) {
      const query = { limit: 100, cursor: page.nextCursor };
      page = await trunkline.admin.instances.history(workspaceId, id, query);
    }
    const times = (counted: HistoryReason): number =>
      entries.filter(({ reason }) => reason === counted).reduce((sum, { count }) => sum + count, 0);
    expect(entries).toHaveLength(200);
    expect(times('disconnect_requested')).toBe(rounds);
    expect(times('disconnected')).toBe(rounds);
    expect(times('connect_requested')).toBe(rounds + 1);
    expect(times('connected')).toBe(rounds);
    expect(entries[0]?.count).toBeGreaterThan(10);
    expect(Date.parse(entries[0]?.last_at ?? '')).toBeGreaterThan(clock.now() - 2 * SECOND);
  });

  it('distinguishes an end by the phone from a requested one', async () => {
    const harness = await startHarness();
    const first = await connectInstance(harness);
    await harness.sandbox.phone(first).unlink();
    expect((await historyOf(harness, first)).at(-1)).toMatchObject({
      reason: 'unlinked_by_phone',
      from: 'connected',
      to: 'logged_out',
      code: 'logged_out_from_phone',
      caused_by: 'gateway',
      next: { kind: 'pair', at: null, text: 'needs a new QR: connect the instance, then scan it' },
    });

    const second = await connectInstance(harness, { phoneNumber: '15550111' });
    const leaving = harness.api.instances.logout(second);
    await harness.clock.advance(STEP);
    await leaving;
    expect((await historyOf(harness, second)).slice(-2)).toMatchObject([
      { reason: 'logout_requested', caused_by: 'api', process: null },
      { reason: 'logged_out', caused_by: 'api', to: 'logged_out', process: expect.any(String) },
    ]);
  });

  it('has a disconnect that was asked for, and nothing to come after it', async () => {
    const { harness, id } = await connected();
    const stopping = harness.api.instances.disconnect(id);
    await harness.clock.advance(STEP);
    await stopping;
    expect((await historyOf(harness, id)).slice(-2)).toMatchObject([
      { reason: 'disconnect_requested', from: 'connected', to: 'connected', next: null },
      { reason: 'disconnected', from: 'connected', to: 'disconnected', next: null },
    ]);
  });

  it('has a QR that was not scanned, and says what to do', async () => {
    const harness = await startHarness();
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(5 * MINUTE);
    expect((await historyOf(harness, id)).at(-1)).toMatchObject({
      reason: 'pairing_expired',
      code: 'qr_timeout',
      next: { kind: 'pair' },
    });
  });

  it('has what the network forbids, until when, and its end', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    const until = harness.clock.now() + 2 * HOUR;
    gateway.script.opened = async () => {};
    const banned = { kind: 'failed', code: 'account_temporarily_banned', networkCode: '402', until } as const;
    await gateway.last().listener.closed(banned);
    expect((await historyOf(harness, id)).at(-1)).toMatchObject({
      reason: 'restriction_begun',
      to: 'error',
      code: 'account_temporarily_banned',
      network_code: '402',
      next: { kind: 'wait_for_restriction', text: 'waits until the restriction ends, in 2 h' },
    });
    await harness.clock.advance(2 * HOUR + SECOND);
    const reasons = reasonsOf(await historyOf(harness, id));
    expect(reasons).toContain('restriction_ended');
  });

  it('has a refusal of the network, for good', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    await gateway.last().listener.closed({ kind: 'failed', code: 'account_banned', networkCode: '406' });
    expect((await historyOf(harness, id)).at(-1)).toMatchObject({
      reason: 'refused_by_network',
      network_code: '406',
      next: { kind: 'connect', text: 'needs a new connect when the cause is fixed' },
    });
  });

  it('says that a process died and which one took over, and that one was stopped', async () => {
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway, roles: only('api') });
    const dying = killable(harness.storage);
    await harness.another({ storage: dying.storage, gateway, roles: only('gateway') });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    const dead = (await historyOf(harness, id)).at(-1)?.process;

    dying.kill();
    const heir = await harness.another({ gateway, roles: only('gateway') });
    await harness.clock.advance(MINUTE);
    const [taken, back] = (await historyOf(harness, id)).slice(-2);
    expect(taken).toMatchObject({
      reason: 'taken_over',
      from: 'connected',
      to: 'connecting',
      previous_process: dead,
      caused_by: 'service',
      next: { kind: 'reconnect' },
    });
    expect(taken?.process).not.toBe(dead);
    expect(back).toMatchObject({ reason: 'reconnected', process: taken?.process });

    await heir.trunkline.stop();
    await harness.another({ gateway, roles: only('gateway') });
    await harness.clock.advance(5 * SECOND);
    const [passed] = (await historyOf(harness, id)).slice(-2);
    expect(passed).toMatchObject({ reason: 'handed_over', previous_process: null });
    expect(passed?.process).not.toBe(taken?.process);
  });

  it('notes the takeover also for an instance that was not connected when its process died', async () => {
    const gateway = scriptedGateway({
      opened: ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_unavailable' }),
    });
    const harness = await startHarness({ gateway, roles: only('api') });
    const dying = killable(harness.storage);
    await harness.another({ storage: dying.storage, gateway, roles: only('gateway') });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(MINUTE);
    dying.kill();
    await harness.another({ gateway, roles: only('gateway') });
    await harness.clock.advance(MINUTE);
    const taken = (await historyOf(harness, id)).find(({ reason }) => reason === 'taken_over');
    expect(taken).toMatchObject({ from: 'disconnected', to: 'disconnected', next: { kind: 'reconnect' } });
  });

  it('is written together with the change, or neither is', async () => {
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway, roles: only('api') });
    const dying = killable(harness.storage);
    await harness.another({ storage: dying.storage, gateway, roles: only('gateway') });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    const before = await historyOf(harness, id);
    dying.kill();
    await gateway
      .last()
      .listener.closed({ kind: 'unlinked' })
      .catch(() => {});
    expect(await historyOf(harness, id)).toEqual(before);
    expect(await harness.api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('stays readable for the operator after the instance is deleted, until it is too old', async () => {
    const { harness, id } = await connected({ retention: { instanceHistoryDays: 3 } });
    const deleting = harness.api.instances.delete(id);
    await harness.clock.advance(STEP);
    await deleting;
    const history = await historyOf(harness, id);
    expect(history.slice(-2)).toMatchObject([
      { reason: 'delete_requested', to: 'connected' },
      { reason: 'deleted', from: 'connected', to: null, next: null },
    ]);
    await jumpAhead(harness, 3 * DAY - HOUR);
    expect(await historyOf(harness, id)).toEqual(history);
    await jumpAhead(harness, HOUR + SECOND);
    expect(await historyOf(harness, id)).toEqual([]);
    const stored = () => harness.storage.history.list(harness.workspaceId, id, { from: null, limit: 100 }, 0);
    expect((await stored()).rows).toHaveLength(history.length);
    await jumpAhead(harness, 2 * HOUR);
    expect((await stored()).rows).toEqual([]);
  });

  it('is not readable by another workspace, or with the cursor of another instance', async () => {
    const { harness, id } = await connected();
    const { admin } = harness.trunkline;
    const other = await admin.workspaces.create({ name: 'Other' });
    expect((await admin.instances.history(other.id, id)).data).toEqual([]);
    const { nextCursor: cursor } = await admin.instances.history(harness.workspaceId, id, { limit: 1 });
    const second = await connectInstance(harness, { phoneNumber: '15550111' });
    for (const wrong of [cursor ?? '', 'nonsense', 'a'.repeat(512)]) {
      await expect(
        admin.instances.history(harness.workspaceId, second, { cursor: wrong }),
      ).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { cursor: [expect.any(String)] } },
      });
    }
    for (const wrong of ['', 'ins_', `${id}\0`, "' OR 1=1 --", '../../etc']) {
      expect((await admin.instances.history(harness.workspaceId, wrong)).data).toEqual([]);
    }
  });

  it('stays in order if the clock is set back', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    harness.clock.jump(-HOUR);
    await harness.clock.advance(MINUTE);
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await harness.clock.advance(2 * MINUTE);
    const history = await historyOf(harness, id);
    const ids = history.map((entry) => entry.id);
    expect(ids).toEqual(ids.toSorted());
    expect(reasonsOf(history)).toContain('reconnected');
  });

  it('has a proxy that was changed, without its address', async () => {
    const gateway = { ...scriptedGateway(), acceptsProxy: true };
    const harness = await startHarness({ gateway, instanceProxies: true });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.update(id, { name: 'Renamed' });
    await harness.api.instances.update(id, { proxy_url: 'http://user:secret@proxy.example:8080' });
    const history = await historyOf(harness, id);
    expect(reasonsOf(history)).toEqual(['created', 'proxy_changed']);
    expect(JSON.stringify(history)).not.toContain('secret');
  });
});
