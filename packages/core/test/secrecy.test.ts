import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SCOPES } from '../src/index.ts';
import { REFUSED } from '../src/testing/index.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import {
  HOUR,
  MINUTE,
  SECOND,
  SECRET_KEY,
  STEP,
  connectInstance,
  listen,
  sendText,
  startHarness,
} from './support/harness.ts';

const TEXT = 'meet me at the old harbour';
const everything = (value: unknown): string =>
  inspect(value, { depth: 20, maxStringLength: null, maxArrayLength: null });

describe('no secret', () => {
  it('is in a log or a response, whatever happens', async () => {
    const harness = await startHarness();
    const { api, clock, sandbox, trunkline, workspaceId } = harness;
    const errors: unknown[] = [];
    const tried = (call: Promise<unknown>) => call.catch((error: unknown) => errors.push(error));
    const webhook = await listen(harness);
    const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'Server', scopes: SCOPES });
    const created = await api.instances.create();
    await api.instances.connect(created.id);
    await clock.advance(STEP);
    const { code: qr } = await api.instances.qr(created.id);
    await sandbox.phone(created.id).scan();

    await trunkline.authenticate(`Bearer ${token}`);
    await tried(trunkline.authenticate(`Bearer ${token}x`));
    harness.storage.apiKeys.touch = () => Promise.reject(new Error('read-only'));
    clock.jump(MINUTE);
    await trunkline.authenticate(`Bearer ${token}`);
    harness.sender.respond(() => REFUSED);
    for (const to of ['34600000003', '34600000004', '34600000005'])
      await sendText(harness, created.id, to, TEXT);
    await tried(sendText(harness, created.id, '12', TEXT));
    await tried(sendText(harness, created.id, 'grp_unknown', TEXT));
    await clock.advance(MINUTE);
    harness.sender.respond(() => Promise.reject(new Error('a bug of the sender')));
    await clock.advance(HOUR);
    const rotated = await api.webhooks.rotateSecret(webhook.id);
    await sandbox.phone(created.id).drop();
    await clock.advance(MINUTE);
    await sandbox.phone(created.id).unlink();
    await clock.advance(MINUTE);
    await tried(api.instances.logout(created.id));
    await tried(api.instances.delete(created.id));

    expect(harness.logs.length).toBeGreaterThan(3);
    expect(errors.length).toBe(4);
    const secrets = [webhook.secret, rotated.secret, token, qr, TEXT, SECRET_KEY];
    for (const secret of secrets) {
      expect(everything(harness.logs)).not.toContain(secret);
      expect(everything(errors)).not.toContain(secret);
    }
    const sent = everything(harness.sender.requests);
    for (const secret of [webhook.secret, rotated.secret, token, qr, SECRET_KEY])
      expect(sent).not.toContain(secret);
  });

  it('is readable in the database', async () => {
    const harness = await startHarness();
    const saved: string[] = [];
    const { instances, sessions, apiKeys, endpoints } = harness.storage;
    const saveSession = sessions.save.bind(sessions);
    sessions.save = (lease, changes) => {
      for (const value of changes.values()) saved.push(Buffer.from(value ?? []).toString('latin1'));
      return saveSession(lease, changes);
    };
    const { secret } = await listen(harness);
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);
    const { code } = await harness.api.instances.qr(id);
    const stored = [
      await instances.find(harness.workspaceId, id),
      await apiKeys.list(harness.workspaceId),
      await endpoints.list(harness.workspaceId),
    ];
    expect(everything(stored)).not.toContain(code);
    expect(everything(stored)).not.toContain(secret);

    await harness.sandbox.phone(id).scan({ phoneNumber: '34911222333', profileName: 'Ada Lovelace' });
    expect(saved).toHaveLength(1);
    expect(saved[0]).not.toContain('Ada Lovelace');
  });

  it('can be opened for another instance than its own', async () => {
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway });
    for (let i = 0; i < 2; i++) {
      const { id } = await harness.api.instances.create();
      await harness.api.instances.connect(id);
    }
    await harness.clock.settle();
    const [one, two] = gateway.connections;
    await one?.session.save(new Map([['device', Uint8Array.of(1)]]));
    const { sessions } = harness.storage;
    const stolen = await sessions.load(one?.session.instanceId ?? '');
    sessions.load = async () => stolen;
    expect(await one?.session.load()).toEqual(new Map([['device', Uint8Array.of(1)]]));
    await expect(two?.session.load()).rejects.toThrow();
  });
});

describe('a failure', () => {
  it('is logged at the level that it deserves', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    await sendText(harness, id, '34600000003');
    await sendText(harness, id);
    await harness.sandbox.phone(id).drop();
    await harness.clock.advance(5 * SECOND);
    expect(harness.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
