import { describe, expect, it } from 'vitest';
import { TrunklineError, createTrunkline, isTrunklineError } from '../src/index.ts';
import type { TrunklineOptions } from '../src/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { memoryStorage, testRuntime } from '../src/testing/index.ts';
import { SECRET_KEY, connectInstance, listen, only, startWorld } from './support/world.ts';

const valid = (): TrunklineOptions => ({
  ...testRuntime(),
  storage: memoryStorage(),
  gateway: createSandbox().gateway,
  secretKey: SECRET_KEY,
});

describe('createTrunkline', () => {
  it.each(['clock', 'random', 'crypto', 'dns', 'webhookSender', 'storage', 'gateway'])(
    'names the part that is missing: %s',
    (part) => {
      for (const missing of [undefined, null, 'text']) {
        // What somebody without types may pass.
        const options = { ...valid(), [part]: missing } as TrunklineOptions;
        expect(() => createTrunkline(options)).toThrow(
          new TypeError(`createTrunkline: the option "${part}" is missing.`),
        );
      }
    },
  );

  it.each<[string, Partial<Record<keyof TrunklineOptions, unknown>>]>([
    ['secretKey', { secretKey: undefined }],
    ['secretKey', { secretKey: 'x'.repeat(31) }],
    ['roles', { roles: { gatway: false } }],
    ['roles.gateway', { roles: { gateway: 'yes' } }],
    ['urlPolicy', { urlPolicy: 'private' }],
    ['sendBacklog', { sendBacklog: 0 }],
    ['operationTimeoutMs', { operationTimeoutMs: -1 }],
  ])('names the option that is wrong: %s in %j', (option, wrong) => {
    const options = { ...valid(), ...wrong } as TrunklineOptions; // wrong on purpose
    expect(() => createTrunkline(options)).toThrow(`createTrunkline: the option "${option}" is wrong`);
  });

  it('says nothing of a secret key that is too short', () => {
    const secretKey = 'my short secret';
    expect(() => createTrunkline({ ...valid(), secretKey })).toThrow(expect.not.stringContaining(secretKey));
  });

  it('has every role unless it is told otherwise', () => {
    expect(createTrunkline(valid()).roles).toEqual(only('api', 'gateway', 'webhooks', 'maintenance'));
    expect(createTrunkline({ ...valid(), roles: { gateway: false } }).roles).toEqual(
      only('api', 'webhooks', 'maintenance'),
    );
  });

  it('opens nothing and starts nothing before start()', async () => {
    const storage = memoryStorage();
    let opened = false;
    const open = storage.open.bind(storage);
    storage.open = (context) => {
      opened = true;
      return open(context);
    };
    const trunkline = createTrunkline({ ...valid(), storage });
    expect(opened).toBe(false);
    await trunkline.start();
    expect(opened).toBe(true);
    await trunkline.stop();
  });
});

describe('the secret key', () => {
  it('must be the one that the database was set up with', async () => {
    const world = await startWorld();
    await expect(world.another({ secretKey: 'another secret key of 32 characters' })).rejects.toThrow(
      'secretKey',
    );
    await world.another();
  });

  it('opens what another process with the same key has sealed', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id } = await listen(world);
    await world.api.webhooks.test(id);
    const { sender } = await world.another({ roles: only('webhooks') });
    await world.clock.settle();
    expect(sender.requests).toHaveLength(1);
  });
});

describe('a process that only answers requests', () => {
  it('connects nothing and sends nothing', async () => {
    const world = await startWorld({ roles: only('api') });
    const { id } = await listen(world);
    await world.api.webhooks.test(id);
    const instance = await world.api.instances.create();
    expect(await world.api.instances.connect(instance.id)).toMatchObject({ status: 'connecting' });
    await world.clock.advance(60_000);
    expect(await world.api.instances.get(instance.id)).toMatchObject({ status: 'connecting' });
    expect(world.sender.requests).toEqual([]);
  });

  it('works together with others that have the other roles', async () => {
    const world = await startWorld({ roles: only('api') });
    await world.another({ roles: only('gateway') });
    const { sender } = await world.another({ roles: only('webhooks') });
    await listen(world);
    await connectInstance(world);
    expect(sender.requests.map(({ headers }) => headers.get('X-Service-Event'))).toEqual([
      'instance.qr_required',
      'instance.connected',
    ]);
  });
});

describe('a refusal', () => {
  it('is an error with the code, the status and the details of the API', () => {
    const error = new TrunklineError({
      code: 'SEND_BACKLOG',
      message: 'Wait.',
      details: { retry_after: 10 },
    });
    expect(error).toMatchObject({
      name: 'TrunklineError',
      message: 'Wait.',
      code: 'SEND_BACKLOG',
      status: 429,
      details: { retry_after: 10 },
    });
  });

  it('is recognised across copies of the package, and nothing else is', () => {
    const ofAnotherCopy = Object.assign(new Error('x'), { isTrunklineError: true });
    expect(isTrunklineError(ofAnotherCopy)).toBe(true);
    expect(isTrunklineError(new Error('x'))).toBe(false);
    expect(isTrunklineError({ code: 'NOT_FOUND', isTrunklineError: true })).toBe(false);
    expect(isTrunklineError(null)).toBe(false);
  });
});
