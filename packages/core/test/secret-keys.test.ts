import { describe, expect, it } from 'vitest';
import { createTrunkline } from '../src/index.ts';
import { nodeCrypto } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { createSealer, endpointSecretPurpose, sessionPurpose } from '../src/services/sealer.ts';
import { seededRandom, testRuntime } from '../src/testing/index.ts';
import { SECRET_KEY, connectInstance, listen, only, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const NEW_KEY = 'the new key, of 32 characters or more';
const STRANGE_KEY = 'another secret key of 32 characters';
const NOT_THE_KEY = /^The secretKey is not the one that this database was set up with/;

async function startAndStop(harness: Harness, secretKey: readonly (string | undefined)[]): Promise<void> {
  const { trunkline } = await harness.another({ secretKey });
  await harness.clock.settle();
  await trunkline.stop();
}

describe('the secret key', () => {
  it('must be the one that the database was set up with', async () => {
    const harness = await startHarness();
    await expect(harness.another({ secretKey: STRANGE_KEY })).rejects.toThrow(NOT_THE_KEY);
    await harness.another();
  });

  it('must be in the list, if it is one', async () => {
    const harness = await startHarness();
    const strangers = [STRANGE_KEY, `${STRANGE_KEY}, too`];
    await expect(harness.another({ secretKey: strangers })).rejects.toThrow(NOT_THE_KEY);
  });

  it('opens what another process with the same key has sealed', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await listen(harness);
    await harness.api.webhooks.test(id);
    const { sender } = await harness.another({ roles: only('webhooks') });
    await harness.clock.settle();
    expect(sender.requests).toHaveLength(1);
  });
});

describe('a secret key that is replaced', () => {
  it('opens what it has sealed, while the new one seals', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await listen(harness);
    const keys = { secretKey: [NEW_KEY, SECRET_KEY] };
    const both = await harness.another({ ...keys, roles: only('api', 'webhooks') });
    await both.api.webhooks.test(id);
    const second = await both.api.webhooks.create({
      url: 'https://hooks.example.com/2',
      events: ['message.read'],
    });
    await both.api.webhooks.test(second.id);
    await harness.clock.settle();
    expect(both.sender.requests).toHaveLength(2);

    const stored = await harness.storage.endpoints.find(harness.workspaceId, second.id);
    const withNew = sealerOf(NEW_KEY).openText(stored?.sealedSecret ?? '', endpointSecretPurpose(second.id));
    expect(withNew).toBe(second.secret);
  });

  it('is needed until everything is sealed with the new one, and not afterwards', async () => {
    const harness = await startHarness();
    const hook = await listen(harness);
    const instance = await connectInstance(harness, { phoneNumber: '15550000001' });
    await harness.api.instances.disconnect(instance);
    await harness.trunkline.stop();

    await expect(startAndStop(harness, [NEW_KEY])).rejects.toThrow(NOT_THE_KEY);
    await startAndStop(harness, [NEW_KEY, SECRET_KEY]);
    await expect(startAndStop(harness, [SECRET_KEY])).rejects.toThrow(NOT_THE_KEY);

    const { api, sender } = await harness.another({ secretKey: NEW_KEY });
    await api.webhooks.test(hook.id);
    await api.instances.connect(instance);
    await harness.clock.advance(1_000);
    expect(await api.instances.get(instance)).toMatchObject({
      status: 'connected',
      phone_number: '15550000001',
    });
    expect(sender.requests.map(({ headers }) => headers.get('X-Service-Event'))).toEqual(
      expect.arrayContaining(['webhook.test', 'instance.connected']),
    );
  });

  it('seals again what signs until a new secret of a webhook begins', async () => {
    const harness = await startHarness();
    const { id } = await listen(harness);
    await harness.api.webhooks.rotateSecret(id, { after_seconds: 86_400 });
    await harness.trunkline.stop();
    await startAndStop(harness, [NEW_KEY, SECRET_KEY]);
    const { api, sender } = await harness.another({ secretKey: NEW_KEY });
    await api.webhooks.test(id);
    await harness.clock.settle();
    expect(sender.requests).toHaveLength(1);
  });

  it('counts what was sealed again, and no webhook that was deleted meanwhile', async () => {
    const harness = await startHarness();
    await listen(harness);
    const deleted = await listen(harness, 'https://hooks.example.com/2');
    const { endpoints } = harness.storage;
    const list = endpoints.list.bind(endpoints);
    endpoints.list = async (workspaceId) => {
      const listed = await list(workspaceId);
      await harness.api.webhooks.delete(deleted.id);
      return listed;
    };
    const { trunkline } = await harness.another({ secretKey: [NEW_KEY, SECRET_KEY], roles: only('api') });
    // One webhook, and the check of the secret key.
    expect(await trunkline.admin.resealSecrets()).toEqual({ sealed: 2, isComplete: true });
  });

  it('stays in the list for what cannot be opened, which is logged with what to do', async () => {
    const harness = await startHarness();
    const { id } = await listen(harness);
    const endpoint = await harness.storage.endpoints.find(harness.workspaceId, id);
    if (!endpoint) throw new Error('The endpoint is gone.');
    await harness.storage.endpoints.write({ endpoint: { ...endpoint, sealedSecret: 'AQAA' } });
    const second = await listen(harness, 'https://hooks.example.com/2');
    await startAndStop(harness, [NEW_KEY, SECRET_KEY]);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'error',
        facts: expect.objectContaining({ webhookId: id }),
        message: expect.stringMatching(/keep the previous ones in the list/),
      }),
    );
    // Everything else is sealed with the new key, but the check still requires the previous one.
    const resealed = await harness.storage.endpoints.find(harness.workspaceId, second.id);
    const purpose = endpointSecretPurpose(second.id);
    expect(sealerOf(NEW_KEY).openText(resealed?.sealedSecret ?? '', purpose)).toBe(second.secret);
    await expect(startAndStop(harness, [NEW_KEY])).rejects.toThrow(NOT_THE_KEY);
  });

  it('may be named by a variable that is not set', async () => {
    const harness = await startHarness();
    await startAndStop(harness, [SECRET_KEY, undefined, '']);
    const runtime = testRuntime();
    const { gateway } = createSandbox();
    const { storage } = harness;
    const secretKey = [undefined, SECRET_KEY];
    expect(() => createTrunkline({ ...runtime, storage, gateways: [gateway], secretKey })).toThrow(
      /"secretKey" is missing/,
    );
  });
});

describe('the sealer', () => {
  const secret = new TextEncoder().encode('a secret');
  const purpose = sessionPurpose('ins_1', 'creds');

  it('opens nothing as something else, of the same kind or another', () => {
    const sealer = sealerOf(SECRET_KEY);
    const sealed = sealer.seal(secret, purpose);
    expect(sealer.open(sealed, purpose)).toEqual(secret);
    for (const other of [
      sessionPurpose('ins_2', 'creds'),
      endpointSecretPurpose('wh_1'),
      { ...purpose, kind: 'webhook secret' as const },
    ]) {
      expect(() => sealer.open(sealed, other)).toThrow(/cannot be opened/);
    }
  });

  it('refuses a value that was changed by one bit, cut short, or sealed by a later version', () => {
    const sealer = sealerOf(SECRET_KEY);
    const sealed = sealer.seal(secret, purpose);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Uint8Array.from(sealed, (byte, index) =>
        index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte,
      );
      expect(() => sealer.open(changed, purpose)).toThrow(Error);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => sealer.open(sealed.subarray(0, length), purpose)).toThrow(Error);
    }
    expect(() => sealer.open(Uint8Array.of(2, ...sealed.subarray(1)), purpose)).toThrow(
      'The session ins_1 creds was sealed by a newer version',
    );
  });

  it('names the secret whose stored text is damaged', () => {
    expect(() => sealerOf(SECRET_KEY).openText('not base64url!', endpointSecretPurpose('wh_1'))).toThrow(
      'The webhook secret wh_1 in the database is damaged',
    );
  });

  it('names neither a key nor the secret when it fails', () => {
    const sealed = sealerOf(SECRET_KEY).seal(secret, purpose);
    expect(() => sealerOf(STRANGE_KEY).open(sealed, purpose)).toThrow(
      expect.not.stringMatching(/a secret$|another secret key of|a secret key of/),
    );
  });
});

function sealerOf(...secretKeys: readonly string[]): ReturnType<typeof createSealer> {
  return createSealer({ secretKeys, crypto: nodeCrypto(), random: seededRandom(7) });
}
