import { describe, expect, it } from 'vitest';
import { ADA, ADAS } from './support/acting.ts';
import { connected, connectInstance, MINUTE, SECOND, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';

interface Blocking {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  /** The instance. */
  readonly id: string;
  readonly contacts: Harness['api']['contacts'];
  /** The id of Ada's contact. */
  readonly ada: string;
}

async function blocking(
  script: Partial<Script> = {},
  capabilities: ScriptedGateway['capabilities'] = ['text', 'block'],
): Promise<Blocking> {
  const gateway = { ...scriptedGateway(script), capabilities };
  const { harness, id } = await connected({ gateway });
  await gateway.last().listener.message({
    networkId: 'IN1',
    senderId: 'ada@net',
    from: ADA,
    groupNetworkId: null,
    contact: ADAS,
    content: { type: 'text', text: 'Buy this!' },
  });
  const [message] = (await harness.api.messages.list()).data;
  return { harness, gateway, id, contacts: harness.api.contacts, ada: message?.contact?.id ?? '' };
}

describe('a contact is blocked', () => {
  it('for its instance, by all that is known of it, until the block ends', async () => {
    const { gateway, contacts, ada } = await blocking();
    await contacts.block(ada);
    await contacts.unblock(ada);
    const person = { to: ADA, isGroup: false, contactNetworkId: 'ada@net' };
    expect(gateway.blocks()).toEqual([
      { person, isBlocked: true },
      { person, isBlocked: false },
    ]);
  });

  it('on the phone of the sandbox, which then keeps their messages, and refuses messages to them', async () => {
    const harness = await startHarness();
    const instance = await connectInstance(harness);
    const phone = harness.sandbox.phone(instance);
    const { messages, contacts } = harness.api;
    const received = async (): Promise<number> => {
      await phone.receive({ from: ADA, text: 'Buy this!' });
      await harness.clock.advance(SECOND);
      return (await messages.list({ direction: 'inbound' })).data.length;
    };
    expect(await received()).toBe(1);
    const [message] = (await messages.list()).data;
    const ada = message?.contact?.id ?? '';
    const during = async (work: Promise<void>): Promise<void> => {
      await harness.clock.advance(SECOND);
      await work;
    };
    await during(contacts.block(ada));
    expect(phone.blocked()).toEqual([ADA]);
    expect(await received()).toBe(1);
    const { message: refused } = await messages.send({ instance, to: ADA, type: 'text', text: 'No' });
    await harness.clock.advance(SECOND);
    expect(await messages.get(refused.id)).toMatchObject({
      status: 'failed',
      error: { code: 'recipient_blocked' },
    });
    await during(contacts.unblock(ada));
    expect(await received()).toBe(2);
  });

  it('at most ten times at once, and twenty times a minute', async () => {
    const { harness, contacts, ada } = await blocking();
    const code = (): Promise<string | null> =>
      contacts.block(ada).then(
        () => null,
        (error: { readonly code: string }) => error.code,
      );
    const loop = await Promise.all(Array.from({ length: 15 }, code));
    expect(loop.filter((one) => one === null)).toHaveLength(10);
    expect(loop.filter((one) => one === 'RATE_LIMITED')).toHaveLength(5);
    await harness.clock.advance(MINUTE);
    expect(await code()).toBeNull();
  });

  it('only with the contact, its instance, a connection and the capability, in a workspace that is not suspended', async () => {
    const { harness, gateway, id, contacts, ada } = await blocking();
    const { admin } = harness.trunkline;
    for (const none of ['con_none', 'con_01k9z000000000000000000000', id, ''])
      await expect(contacts.block(none)).rejects.toMatchObject({ code: 'CONTACT_NOT_FOUND' });
    const stranger = await admin.workspaces.create({ name: 'Stranger' });
    await expect(harness.trunkline.workspace(stranger.id).contacts.block(ada)).rejects.toMatchObject({
      code: 'CONTACT_NOT_FOUND',
    });
    await admin.workspaces.suspend(harness.workspaceId);
    await expect(contacts.block(ada)).rejects.toMatchObject({ code: 'WORKSPACE_SUSPENDED' });
    await admin.workspaces.resume(harness.workspaceId);
    await harness.api.instances.disconnect(id);
    await expect(contacts.unblock(ada)).rejects.toMatchObject({ code: 'INSTANCE_NOT_CONNECTED' });
    await harness.api.instances.delete(id);
    await expect(contacts.block(ada)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    expect(gateway.blocks()).toEqual([]);
    const other = await blocking({}, ['text']);
    await expect(other.contacts.block(other.ada)).rejects.toMatchObject({
      code: 'UNSUPPORTED_MESSAGE_TYPE',
    });
  });

  it('unless the network refuses it or does not respond, which the error says', async () => {
    const refusing = await blocking({
      setBlocked: () => Promise.reject(new Error('The network knows no such person')),
    });
    await expect(refusing.contacts.block(refusing.ada)).rejects.toMatchObject({
      code: 'GATEWAY_ERROR',
      message: expect.stringContaining('The network knows no such person.'),
    });
    const silent = await blocking({ setBlocked: silence });
    const refused = expect(silent.contacts.block(silent.ada)).rejects.toMatchObject({
      code: 'GATEWAY_ERROR',
    });
    await silent.harness.clock.advance(MINUTE);
    await refused;
  });
});
