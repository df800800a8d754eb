import { describe, expect, it } from 'vitest';
import type { TypingState } from '../src/spi/gateway.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';
import {
  connected,
  connectInstance,
  connectScripted,
  MINUTE,
  only,
  SECOND,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const ADA = '34600000009';

function typingGateway(script: Partial<Script> = {}): ScriptedGateway {
  return { ...scriptedGateway(script), capabilities: ['text', 'groups', 'typing'] };
}

interface Typing {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  readonly id: string;
  /** The code of the refusal; null if it was shown. */
  show(to?: string, state?: TypingState): Promise<string | null>;
}

async function typing(script: Partial<Script> = {}): Promise<Typing> {
  const gateway = typingGateway(script);
  const { harness, id } = await connected({ gateway });
  return { harness, gateway, id, show: showing(harness, id) };
}

function showing({ api }: Harness, id: string): Typing['show'] {
  return (to = ADA, state = 'typing') =>
    api.instances.typing(id, { to, state }).then(
      () => null,
      (error: { readonly code: string }) => error.code,
    );
}

describe('a chat is shown that an instance is typing', () => {
  it('to a number, a group or a contact, by all that is known of them', async () => {
    const { harness, gateway, id, show } = await typing();
    const { listener } = gateway.last();
    await listener.groups([{ networkId: 'group@net', name: 'Team', participantsCount: 3 }]);
    await listener.message({
      networkId: 'IN1',
      senderId: 'ada@net',
      from: ADA,
      groupNetworkId: null,
      contact: { networkId: 'ada@net', aliases: [], phoneNumber: ADA, name: null, username: null },
      content: { type: 'text', text: 'Hello' },
    });
    const [group] = (await harness.api.instances.groups(id)).data;
    const [message] = (await harness.api.messages.list()).data;
    expect(await show('+34 600 000 001')).toBeNull();
    expect(await show(group?.id, 'recording')).toBeNull();
    expect(await show(message?.contact?.id, 'paused')).toBeNull();
    expect(await show(ADA)).toBeNull();
    const ada = { to: ADA, isGroup: false, contactNetworkId: 'ada@net' };
    expect(gateway.shown()).toEqual([
      { chat: { to: '34600000001', isGroup: false, contactNetworkId: null }, state: 'typing' },
      { chat: { to: 'group@net', isGroup: true }, state: 'recording' },
      { chat: ada, state: 'paused' },
      { chat: ada, state: 'typing' },
    ]);
  });

  it('on the phone of the sandbox, and queues and stores nothing', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const shown = showing(harness, id)();
    await harness.clock.advance(SECOND);
    expect(await shown).toBeNull();
    expect(harness.sandbox.phone(id).typing()).toEqual([{ to: ADA, state: 'typing' }]);
    expect((await harness.api.messages.list({ instance: id })).data).toEqual([]);
  });

  it('sixty times a minute at most, however many requests there are, and each number for itself', async () => {
    const { harness, gateway, show } = await typing();
    const other = showing(harness, await connectScripted(harness));
    const loop = await Promise.all(Array.from({ length: 100 }, () => show()));
    expect(loop.filter((code) => code === null)).toHaveLength(30);
    expect(loop.filter((code) => code === 'RATE_LIMITED')).toHaveLength(70);
    expect(await other()).toBeNull();
    await expect(
      harness.api.instances.typing(gateway.connections[0]?.session.instanceId ?? '', {
        to: ADA,
        state: 'typing',
      }),
    ).rejects.toMatchObject({
      status: 429,
      details: { retry_after: 1, limit: 60 },
    });
    let shown = 0;
    for (let second = 0; second < 60; second += 1) {
      await harness.clock.advance(SECOND);
      for (const code of [await show(), await show()]) if (code === null) shown += 1;
    }
    expect(shown).toBe(60);
  });

  it('not without a connection, on another network, or to nobody', async () => {
    const { harness, gateway, id, show } = await typing();
    expect(await show('nobody')).toBe('INVALID_RECIPIENT');
    expect(await show('grp_none')).toBe('GROUP_NOT_FOUND');
    expect(await show('con_none')).toBe('INVALID_RECIPIENT');
    await expect(
      harness.api.instances.typing(id, { to: ADA, state: 'dancing' as 'typing' }),
    ).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { state: expect.any(Array) } },
    });
    const stranger = await harness.trunkline.admin.workspaces.create({ name: 'Stranger' });
    const theirs = harness.trunkline.workspace(stranger.id).instances;
    await expect(theirs.typing(id, { to: ADA, state: 'typing' })).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
    });
    const stopping = harness.api.instances.disconnect(id);
    await harness.clock.advance(SECOND);
    await stopping;
    expect(await show()).toBe('INSTANCE_NOT_CONNECTED');
    expect(gateway.shown()).toEqual([]);
    const { harness: plain, id: texts } = await connected({ gateway: scriptedGateway() });
    expect(await showing(plain, texts)()).toBe('UNSUPPORTED_MESSAGE_TYPE');
  });

  it('not later if the network fails or hangs', async () => {
    const { harness, gateway, show } = await typing({
      showTyping: () => Promise.reject(new Error('socket hang up')),
    });
    expect(await show()).toBe('GATEWAY_ERROR');
    gateway.script.showTyping = silence;
    const hanging = show();
    await harness.clock.advance(MINUTE);
    expect(await hanging).toBe('GATEWAY_ERROR');
    expect(gateway.shown()).toHaveLength(2);
  });

  it('not once the instance is disconnected meanwhile, for which the request does not wait out its time', async () => {
    const harness = await startHarness({ roles: only('api'), gateway: typingGateway() });
    await harness.another({ roles: only('gateway'), gateway: typingGateway({ showTyping: silence }) });
    const id = await connectScripted(harness);
    const unanswered = showing(harness, id)();
    const stopping = harness.api.instances.disconnect(id);
    await harness.clock.advance(5 * SECOND);
    await stopping;
    expect(await unanswered).toBe('INSTANCE_NOT_CONNECTED');
  });

  it('by the process that holds the instance, if another one serves the request', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ roles: only('api'), gateway: typingGateway(), storage });
    const holding = typingGateway();
    const holder = await harness.another({ roles: only('gateway'), gateway: holding });
    const id = await connectScripted(harness);
    const show = showing(harness, id);
    const all = Promise.all(Array.from({ length: 25 }, () => show()));
    await harness.clock.advance(5 * SECOND);
    const codes = await all;
    expect(codes.filter((code) => code === null)).toHaveLength(20);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(5);
    expect(holding.shown()).toHaveLength(20);
    expect(await storage.calls.list([id], 0, 100)).toEqual([]);

    holding.script.showTyping = () => Promise.reject(new Error('socket hang up'));
    const failing = show();
    await harness.clock.advance(5 * SECOND);
    expect(await failing).toBe('GATEWAY_ERROR');
    await holder.trunkline.stop();
    const unanswered = show();
    await harness.clock.advance(MINUTE);
    expect(await unanswered).toBe('GATEWAY_UNAVAILABLE');
    const next = typingGateway();
    await harness.another({ roles: only('gateway'), gateway: next });
    await harness.clock.advance(MINUTE);
    expect(next.shown()).toEqual([]);
  });
});
