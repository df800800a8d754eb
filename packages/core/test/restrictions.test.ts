import { describe, expect, it } from 'vitest';
import type { Restriction } from '../src/spi/gateway.ts';
import { HOUR, MINUTE, SECOND, connected, receivedEvents } from './support/harness.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';

async function restrictable() {
  const gateway = scriptedGateway();
  const { harness, id, since } = await connected({ gateway });
  const { api, clock } = harness;
  return {
    gateway,
    harness,
    clock,
    id,
    since,
    start: clock.now(),
    instance: () => api.instances.get(id),
    restrict: async (restriction: Restriction | null) => {
      await gateway.last().listener.restricted?.(restriction);
    },
  };
}

describe('what the network forbids a connected instance', () => {
  it('is shown with its end, and in last_error, without an event', async () => {
    const { restrict, instance, since, start, harness, id } = await restrictable();
    await restrict({ code: 'cannot_start_chats', until: start + 6 * HOUR });
    expect(await instance()).toMatchObject({
      status: 'connected',
      last_error: 'cannot_start_chats',
      restriction: { code: 'cannot_start_chats', until: '2026-01-01T06:00:00.000+00:00' },
    });
    expect(since()).toEqual([]);
    expect(harness.logs.filter(({ level }) => level === 'warn')).toMatchObject([
      { facts: { instanceId: id, restriction: 'cannot_start_chats', until: start + 6 * HOUR } },
    ]);
  });

  it('ends by itself, in the storage too', async () => {
    const { restrict, instance, clock, start, harness, id } = await restrictable();
    await restrict({ code: 'sending_capped', until: start + 2 * HOUR });
    await clock.advance(2 * HOUR - 1);
    expect(await instance()).toMatchObject({ restriction: { code: 'sending_capped' } });
    await clock.advance(1);
    expect(await instance()).toMatchObject({ status: 'connected', restriction: null, last_error: null });
    await clock.settle();
    const stored = await harness.storage.instances.find(harness.workspaceId, id);
    expect(stored).toMatchObject({ restriction: null, lastError: null });
  });

  it('ends when the network says so, whether an end was known or not', async () => {
    const { restrict, instance, clock } = await restrictable();
    await restrict({ code: 'cannot_start_chats', until: null });
    await clock.advance(HOUR);
    expect(await instance()).toMatchObject({
      last_error: 'cannot_start_chats',
      restriction: { code: 'cannot_start_chats', until: null },
    });
    await restrict(null);
    expect(await instance()).toMatchObject({ last_error: null, restriction: null });
  });

  it('outlasts a drop, in events too, until its end', async () => {
    const { restrict, instance, clock, gateway, harness, start } = await restrictable();
    await restrict({ code: 'sending_capped', until: start + HOUR });
    gateway.script.opened = ({ listener }) => listener.closed({ kind: 'dropped', detail: 'network_down' });
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await clock.advance(MINUTE);
    expect(await instance()).toMatchObject({
      status: 'disconnected',
      last_error: 'network_down',
      restriction: { code: 'sending_capped' },
    });
    const [event] = receivedEvents(harness).filter(({ type }) => type === 'instance.disconnected');
    expect(event?.data).toMatchObject({
      instance: { restriction: { code: 'sending_capped', until: '2026-01-01T01:00:00.000+00:00' } },
    });
    gateway.script.opened = ({ listener }) => listener.connected(PROFILE);
    await clock.advance(2 * MINUTE);
    expect(await instance()).toMatchObject({ status: 'connected', last_error: 'sending_capped' });
    await clock.advance(HOUR);
    expect(await instance()).toMatchObject({ restriction: null, last_error: null });
  });

  it('ends in time if no process holds the instance', async () => {
    const { restrict, instance, clock, harness, id, start } = await restrictable();
    await restrict({ code: 'sending_capped', until: start + HOUR });
    await harness.api.instances.disconnect(id);
    expect(await instance()).toMatchObject({ restriction: { code: 'sending_capped' } });
    await clock.advance(HOUR);
    expect(await instance()).toMatchObject({ status: 'disconnected', restriction: null, last_error: null });
  });

  it('is gone with the number', async () => {
    const { restrict, instance, gateway } = await restrictable();
    await restrict({ code: 'sending_capped', until: null });
    await gateway.last().listener.closed({ kind: 'unlinked' });
    expect(await instance()).toMatchObject({ status: 'logged_out', restriction: null });
  });

  it.each([
    [
      { code: 'x'.repeat(1_000), until: null },
      { code: 'restricted', until: null },
    ],
    [
      { code: 'Buy now!', until: Number.NaN },
      { code: 'restricted', until: null },
    ],
    [
      { code: 'sending_capped', until: 1e300 },
      { code: 'sending_capped', until: null },
    ],
    [
      { code: 'sending_capped', until: -1 },
      { code: 'sending_capped', until: null },
    ],
    [
      { code: 'sending_capped', until: 253_402_300_800_000 },
      { code: 'sending_capped', until: null },
    ],
  ])('reported as %j, is stored as %j', async (reported, stored) => {
    const { restrict, instance } = await restrictable();
    await restrict(reported);
    expect(await instance()).toMatchObject({ restriction: stored });
  });

  it('is not stored if it was over when it was reported', async () => {
    const { restrict, instance, start } = await restrictable();
    await restrict({ code: 'sending_capped', until: start - 1 });
    expect(await instance()).toMatchObject({ restriction: null, last_error: null });
  });
});

describe('an instance that the network bans for some time', () => {
  async function banned(forMs: number) {
    const parts = await restrictable();
    const { gateway, clock } = parts;
    const until = clock.now() + forMs;
    const ban = { kind: 'failed', code: 'account_temporarily_banned', until } as const;
    await gateway.last().listener.closed(ban);
    await clock.settle();
    return { ...parts, ban, until };
  }

  it('is an error that says until when, and connects again by itself then', async () => {
    const { instance, clock, gateway, since } = await banned(HOUR);
    expect(await instance()).toMatchObject({
      status: 'error',
      last_error: 'account_temporarily_banned',
      restriction: { code: 'account_temporarily_banned', until: '2026-01-01T01:00:00.000+00:00' },
    });
    expect(since()).toEqual(['instance.error']);
    await clock.advance(HOUR - 1);
    expect(gateway.connections).toHaveLength(1);
    await clock.advance(1 + SECOND);
    expect(gateway.connections).toHaveLength(2);
    expect(await instance()).toMatchObject({ status: 'connected', last_error: null, restriction: null });
    expect(since()).toEqual(['instance.error', 'instance.connected']);
  });

  it('takes no messages meanwhile', async () => {
    const { harness, id } = await banned(HOUR);
    const message = { instance: id, to: '15550100', type: 'text', text: 'Hello' } as const;
    await expect(harness.api.messages.send(message)).rejects.toMatchObject({
      code: 'INSTANCE_NOT_CONNECTED',
    });
  });

  it('is tried earlier on request', async () => {
    const { instance, clock, gateway, harness, id } = await banned(HOUR);
    expect(await harness.api.instances.connect(id)).toMatchObject({
      status: 'connecting',
      restriction: null,
    });
    await clock.advance(2 * SECOND);
    expect(gateway.connections).toHaveLength(2);
    expect(await instance()).toMatchObject({ status: 'connected' });
  });

  it('stays as it is if it is disconnected', async () => {
    const { instance, clock, gateway, harness, id } = await banned(HOUR);
    expect(await harness.api.instances.disconnect(id)).toMatchObject({ status: 'error', restriction: null });
    await clock.advance(2 * HOUR);
    expect(gateway.connections).toHaveLength(1);
    expect(await instance()).toMatchObject({ status: 'error', last_error: 'account_temporarily_banned' });
  });

  it('waits with the process that takes it, too', async () => {
    const { clock, harness, id } = await banned(HOUR);
    await harness.trunkline.stop();
    const gateway = scriptedGateway();
    const { api } = await harness.another({ gateway });
    await clock.advance(HOUR - MINUTE);
    expect(gateway.connections).toHaveLength(0);
    await clock.advance(MINUTE + SECOND);
    expect(gateway.connections).toHaveLength(1);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('is not tried faster than any other if its ban keeps ending immediately', async () => {
    const { gateway, clock, ban } = await banned(0);
    gateway.script.opened = ({ listener }) => listener.closed({ ...ban, until: clock.now() });
    await clock.advance(5 * MINUTE);
    expect(gateway.connections.length).toBeGreaterThan(3);
    expect(gateway.connections.length).toBeLessThan(20);
  });
});
