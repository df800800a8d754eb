import { describe, expect, it } from 'vitest';
import { TrunklineError, createTrunkline, isTrunklineError } from '../src/index.ts';
import type { TrunklineOptions } from '../src/index.ts';
import { edgeRuntime } from '../src/node/edge.ts';
import { fileMediaStore, nodeRuntime } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { testRuntime } from '../src/testing/index.ts';
import { SECRET_KEY, connectInstance, listen, only, startHarness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const valid = (): TrunklineOptions => ({
  ...testRuntime(),
  storage: memoryStorage(),
  gateways: [createSandbox().gateway],
  secretKey: SECRET_KEY,
});

/** Calls createTrunkline with options of any type, as a JavaScript program may. */
const create = (options: unknown): unknown => createTrunkline(options as TrunklineOptions);

const BY_CREDENTIALS = createSandbox({ linkedBy: 'credentials' }).gateway;

describe('createTrunkline', () => {
  const parts = ['clock', 'random', 'crypto', 'dns', 'webhookSender', 'storage'];

  it.each(parts)('names the part that is missing, and where it comes from: %s', (part) => {
    for (const missing of [undefined, null]) {
      const message = new RegExp(
        `^createTrunkline: the option "${part}" is missing\\. (Spread|Give) .*@trunkline/`,
      );
      expect(() => create({ ...valid(), [part]: missing })).toThrow(message);
    }
  });

  it.each([...parts, 'media', 'logger', 'notifier', 'meterProvider'])(
    'names the part that cannot be one, and what to give: %s',
    (part) => {
      for (const wrong of ['text', {}, 5, () => {}]) {
        const message = new RegExp(
          `^createTrunkline: the option "${part}" is wrong: it (is a|lacks) .*\\. \\w`,
        );
        expect(() => create({ ...valid(), [part]: wrong })).toThrow(message);
      }
    },
  );

  it.each([
    [undefined, 'createTrunkline: the options must be an object, and are undefined'],
    [{ ...valid(), medai: 1 }, 'createTrunkline: there is no option "medai". Did you mean "media"?'],
    [{ ...valid(), secretkey: 'x' }, 'there is no option "secretkey". Did you mean "secretKey"?'],
    [{ ...valid(), storage: './x.db' }, "sqliteStorage({ path: './trunkline.db' })"],
    [{ ...valid(), gateways: undefined }, 'the option "gateways" is missing. Give a list of gateways'],
    [{ ...valid(), gateways: [] }, 'the option "gateways" is missing. Give a list of gateways'],
    [{ ...valid(), gateways: createSandbox().gateway }, 'the option "gateways" is wrong: it is not a list'],
    [
      { ...valid(), gateway: createSandbox().gateway },
      'there is no option "gateway". Did you mean "gateways"?',
    ],
    [{ ...valid(), gateways: [createSandbox()] }, 'Give its gateway, createSandbox().gateway.'],
    [{ ...valid(), gateways: [{}] }, 'number 1 lacks attach, newMessageId, open, unlink. Give a list'],
    [
      { ...valid(), gateways: [{ ...createSandbox().gateway, network: 'White House' }] },
      'the "network" of number 1 must be 1 to 32 lower-case letters, digits and "_", beginning with a letter',
    ],
    [
      { ...valid(), gateways: [{ ...createSandbox().gateway, sendsAtOnce: 0 }] },
      '"sendsAtOnce" of "sandbox" must be a whole number from 1 to 1000',
    ],
    ...[
      { linking: ['qr'] },
      { credentials: [] },
      { credentials: [{ name: 'a' }, { name: 'a' }] },
      { credentials: [{ name: 'White House' }] },
      { credentials: ['token'] },
      { credentials: 'token' },
    ].map((change): [object, string] => [
      { ...valid(), gateways: [{ ...BY_CREDENTIALS, ...change }] },
      '"credentials" of "sandbox_credentials" does not fit its "linking". Only a gateway whose',
    ]),
    [
      { ...valid(), gateways: [{ ...BY_CREDENTIALS, checkCredentials: undefined }] },
      '"checkCredentials" of "sandbox_credentials" does not fit its "linking".',
    ],
    [
      { ...valid(), linkPage: 'service.example/link' },
      'the option "linkPage" is wrong: must be an address with http: or https:.',
    ],
    [
      { ...valid(), gateways: [createSandbox().gateway, createSandbox().gateway] },
      'two have the network "sandbox". Give one gateway for each network.',
    ],
    [
      { ...valid(), logger: {} },
      'the option "logger" is wrong: it lacks debug, info, warn, error. Give a pino logger',
    ],
    [{ ...valid(), webhooksAllow: ['n8n'] }, 'no option "webhooksAllow". Did you mean "webhookAllow"?'],
    [
      { ...valid(), webhookAllow: ['n8n', 'http://n8n:5678'] },
      'the option "webhookAllow" is wrong: "http://n8n:5678" is not a host name (n8n, ',
    ],
    [{ ...valid(), crypto: globalThis.crypto }, 'the global crypto is another thing'],
    [
      { ...valid(), secretKey: undefined },
      'the option "secretKey" is missing. Make one with `openssl rand -base64 32`',
    ],
    [
      { ...valid(), secretKey: '' },
      'the option "secretKey" is missing. Make one with `openssl rand -base64 32`',
    ],
  ])('says what to do: case %#', (options, message) => {
    expect(() => create(options)).toThrow(TypeError);
    expect(() => create(options)).toThrow(message);
  });

  it.each<[string, Partial<Record<keyof TrunklineOptions, unknown>>]>([
    ['secretKey', { secretKey: 'x'.repeat(31) }],
    ['secretKey', { secretKey: 5 }],
    ['secretKey', { secretKey: [SECRET_KEY, 'too short'] }],
    ['secretKey', { secretKey: [SECRET_KEY, null] }],
    ['roles', { roles: { gatway: false } }],
    ['roles.gateway', { roles: { gateway: 'yes' } }],
    ['urlPolicy', { urlPolicy: 'private' }],
    ['webhookAllow', { webhookAllow: 'n8n' }],
    ['webhookAllow', { webhookAllow: ['n8n', 'n8n:5678'] }],
    ['webhookAllow', { webhookAllow: ['2002::/16'] }],
    ['webhookDeny', { webhookDeny: ['10.0.0.0/33'] }],
    ['ownAddresses', { ownAddresses: [{ host: '127.0.0.1', port: 8080 }] }],
    ['sendBacklog', { sendBacklog: 0 }],
    ['operationTimeoutMs', { operationTimeoutMs: -1 }],
  ])('names the option that is wrong: %s in %j', (option, wrong) => {
    expect(() => create({ ...valid(), ...wrong })).toThrow(
      `createTrunkline: the option "${option}" is wrong`,
    );
  });

  it('says nothing of a secret key that is too short', () => {
    const secretKey = 'my short secret';
    expect(() => createTrunkline({ ...valid(), secretKey })).toThrow(expect.not.stringContaining(secretKey));
  });

  it('has every role by default', () => {
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

describe('what goes into the options', () => {
  it.each<[string, (options: never) => unknown, meant: string]>([
    ['mediadirectory', nodeRuntime, 'there is no option "mediadirectory". Did you mean "mediaDirectory"?'],
    ['dsn', edgeRuntime, 'edgeRuntime: there is no option "dsn".'],
    ['direcotry', fileMediaStore, 'there is no option "direcotry". Did you mean "directory"?'],
    ['jornal', createSandbox, 'createSandbox: there is no option "jornal". Did you mean "journal"?'],
  ])('names an option that does not exist: %s', (name, make, meant) => {
    const options = { [name]: 'x' } as never; // as a JavaScript program may pass it
    expect(() => make(options)).toThrow(meant);
  });
});

describe('a process that only serves requests', () => {
  it('connects nothing and sends nothing', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { id } = await listen(harness);
    await harness.api.webhooks.test(id);
    const instance = await harness.api.instances.create();
    expect(await harness.api.instances.connect(instance.id)).toMatchObject({ status: 'connecting' });
    await harness.clock.advance(60_000);
    expect(await harness.api.instances.get(instance.id)).toMatchObject({ status: 'connecting' });
    expect(harness.sender.requests).toEqual([]);
  });

  it('works together with others that have the other roles', async () => {
    const harness = await startHarness({ roles: only('api') });
    await harness.another({ roles: only('gateway') });
    const { sender } = await harness.another({ roles: only('webhooks') });
    await listen(harness);
    await connectInstance(harness);
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
