import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '../src/node/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { createSealer, credentialsPurpose } from '../src/services/sealer.ts';
import type { CredentialsCheck, Gateway } from '../src/spi/gateway.ts';
import { seededRandom } from '../src/testing/index.ts';
import { HOUR, MINUTE, SECRET_KEY, listen, only, sendText, startHarness } from './support/harness.ts';
import { PROFILE, scriptedGateway } from './support/scripted-gateway.ts';

const NUMBER = '34911222333';
const TOKEN = 'sandbox-open-sesame';
const VALID = { phone_number: NUMBER, access_token: TOKEN };
const NEWER = { ...VALID, access_token: 'sandbox-newer' };
const PAGE = 'https://service.example/link';
const everything = (value: unknown): string => inspect(value, { depth: 20, maxStringLength: null });

/** A service on a sandbox that is linked by credentials. */
async function start(options: Parameters<typeof startHarness>[0] = {}) {
  const sandbox = createSandbox({ linkedBy: 'credentials' });
  const harness = await startHarness({ gateway: sandbox.gateway, linkPage: PAGE, ...options });
  const stored = async (id: string) => {
    const instance = await harness.storage.instances.find(harness.workspaceId, id);
    if (!instance) throw new Error('The instance is gone.');
    return instance;
  };
  return { sandbox, harness, stored, api: harness.api, clock: harness.clock };
}

/** The gateway of a script, which is linked by credentials, and remembers those that it was given. */
function recordingGateway() {
  const scripted = scriptedGateway();
  const opened: unknown[] = [];
  const network = {
    check: async (): Promise<CredentialsCheck> => ({ kind: 'valid', profile: PROFILE }),
  };
  const gateway: Gateway = {
    ...scripted,
    linking: ['credentials'],
    credentials: [{ name: 'token', secret: true, required: true, about: 'The token.' }],
    checkCredentials: () => network.check(),
    open(session, listener, given) {
      opened.push(given?.credentials ?? null);
      return scripted.open(session, listener, given);
    },
  };
  return { scripted, gateway, network, opened };
}

describe('credentials', () => {
  it('link the number of a new instance, which then connects without a QR', async () => {
    const { harness, api, clock } = await start();
    await listen(harness);
    const created = await api.instances.create({ credentials: VALID });
    expect(created).toMatchObject({
      status: 'created',
      paired: true,
      phone_number: NUMBER,
      profile_name: 'Sandbox number',
      has_credentials: true,
    });
    expect(await api.instances.connect(created.id)).toMatchObject({ status: 'connecting' });
    await clock.advance(MINUTE);
    expect(await api.instances.get(created.id)).toMatchObject({ status: 'connected', has_credentials: true });
    const types = harness.sender.requests.map(({ body }) => JSON.parse(body).type);
    expect(types).toEqual(['instance.connected']);
    const { message } = await sendText(harness, created.id);
    await clock.advance(MINUTE);
    expect(await api.messages.get(message.id)).toMatchObject({ status: 'read' });
    const { data: history } = await api.instances.history(created.id);
    expect(history.map(({ reason }) => reason)).toEqual(['connected', 'connect_requested', 'created']);
  });

  it('connect an instance that waits for them, in whatever process it is held', async () => {
    const { sandbox, harness, clock } = await start({ roles: only('gateway') });
    const { api: other } = await harness.another({
      gateways: [{ ...sandbox.gateway, connectsElsewhere: true }],
      roles: only('api', 'maintenance'),
    });
    const { id } = await other.instances.create();
    await other.instances.connect(id);
    await clock.settle();
    expect(await other.instances.get(id)).toMatchObject({ status: 'qr_required', paired: false });
    expect(await other.instances.update(id, { credentials: VALID })).toMatchObject({ status: 'connecting' });
    await clock.advance(MINUTE);
    expect(await other.instances.get(id)).toMatchObject({ status: 'connected', phone_number: NUMBER });
  });

  it('replace earlier ones immediately, without an event, and only for the same number', async () => {
    const { gateway, network, opened, scripted } = recordingGateway();
    const { harness, api, clock, stored } = await start({ gateway });
    const { id } = await api.instances.create({ credentials: { token: 'first' } });
    await api.instances.connect(id);
    await clock.settle();
    await listen(harness);
    expect(await api.instances.update(id, { credentials: { token: 'second' }, name: 'Desk' })).toMatchObject({
      status: 'connected',
      name: 'Desk',
    });
    await clock.advance(MINUTE);
    expect(opened).toEqual([{ token: 'first' }, { token: 'second' }]);
    expect(scripted.connections.map(({ state }) => state)).toEqual(['closed', 'open']);
    expect(harness.sender.requests).toEqual([]);

    network.check = async () => ({ kind: 'valid', profile: { phoneNumber: '34600999888' } });
    const before = await stored(id);
    await expect(api.instances.update(id, { credentials: { token: 'third' } })).rejects.toMatchObject({
      code: 'INVALID_INSTANCE_STATE',
      message: expect.stringContaining('another number'),
    });
    expect(await stored(id)).toEqual(before);
  });

  it('are forgotten by a logout, which unlinks with them, and by the network', async () => {
    const { gateway, scripted } = recordingGateway();
    const { api, clock, stored } = await start({ gateway });
    const { id } = await api.instances.create({ credentials: { token: 'first' } });
    const unlinkedWith: unknown[] = [];
    scripted.script.unlink = async (_, options) => void unlinkedWith.push(options?.credentials);
    const loggedOut = api.instances.logout(id);
    await clock.settle();
    expect(await loggedOut).toMatchObject({ status: 'logged_out', paired: false, has_credentials: false });
    expect(unlinkedWith).toEqual([{ token: 'first' }]);
    expect(await stored(id)).toMatchObject({ sealedCredentials: null });

    expect(await api.instances.update(id, { credentials: { token: 'second' } })).toMatchObject({
      status: 'disconnected',
      paired: true,
    });
    await api.instances.connect(id);
    await clock.settle();
    await scripted.last().listener.closed({ kind: 'unlinked' });
    expect(await api.instances.get(id)).toMatchObject({ status: 'logged_out', has_credentials: false });
  });

  it('are removed by null unless the instance is meant to run, and its queue fails with them', async () => {
    const { harness, api, clock } = await start();
    const { id } = await api.instances.create({ credentials: VALID });
    expect(await api.instances.update(id, { credentials: null })).toMatchObject({
      status: 'created',
      paired: false,
      has_credentials: false,
    });
    await api.instances.update(id, { credentials: VALID });
    await api.instances.connect(id);
    await clock.settle();
    await expect(api.instances.update(id, { credentials: null })).rejects.toMatchObject({
      code: 'INVALID_INSTANCE_STATE',
    });
    const { message } = await sendText(harness, id);
    await api.instances.disconnect(id);
    expect(await api.instances.update(id, { credentials: null, name: 'Desk' })).toMatchObject({
      name: 'Desk',
      status: 'logged_out',
      phone_number: null,
      has_credentials: false,
    });
    expect(await api.messages.get(message.id)).toMatchObject({ status: 'failed' });
    expect(await api.instances.update(id, { credentials: null, name: 'Bell' })).toMatchObject({
      name: 'Bell',
    });
    const { data: history } = await api.instances.history(id);
    expect(history[0]).toMatchObject({ reason: 'credentials_removed', caused_by: 'api' });
  });

  it.each([
    [
      'an unknown name',
      { ...VALID, acces_token: 'x' },
      /Has "acces_token", which .* it has phone_number, access_/,
    ],
    [
      'a missing one',
      { phone_number: NUMBER },
      /Lacks access_token, which the network "sandbox_credentials"/,
    ],
    ['none', {}, /Lacks phone_number/],
    ['a name of every object', { ...VALID, constructor: 'x' }, /Has "constructor"/],
    ['a number for a text', { ...VALID, access_token: 5 }, /expected string/],
    ['an empty text', { ...VALID, access_token: '' }, /at least 1 character/],
    ['a text of 4,097 characters', { ...VALID, access_token: 'a'.repeat(4_097) }, /at most 4096 characters/],
    ['a list', [TOKEN], /expected record/],
    ['a text', TOKEN, /expected record/],
    [
      '21 values',
      Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n${i}`, 'x'])),
      /at most 20 values/,
    ],
    ['a number of two digits', { ...VALID, phone_number: '12' }, /must have 7 to 15 digits/],
    [
      'a token that the network refuses',
      { ...VALID, access_token: 'stolen' },
      /does not know this access_token/,
    ],
  ])('are refused with %s, and nothing is stored', async (_, given, text) => {
    const { api, stored } = await start();
    const input = { credentials: given as Record<string, string> }; // as a caller without types may pass
    const refusal = {
      code: 'VALIDATION_FAILED',
      details: { fields: { credentials: expect.arrayContaining([expect.stringMatching(text)]) } },
    };
    await expect(api.instances.create(input)).rejects.toMatchObject(refusal);
    expect((await api.instances.list()).data).toEqual([]);
    const { id } = await api.instances.create({ credentials: VALID });
    const before = await stored(id);
    await expect(api.instances.update(id, { ...input, name: 'Desk' })).rejects.toMatchObject(refusal);
    expect(await stored(id)).toEqual(before);
  });

  it('are not stored while the network cannot check them', async () => {
    const { gateway, network } = recordingGateway();
    const { harness, api, clock } = await start({ gateway });
    network.check = () => Promise.reject(new Error('ECONNREFUSED'));
    const refusal = { code: 'GATEWAY_ERROR', message: expect.stringContaining('nothing was changed') };
    await expect(api.instances.create({ credentials: { token: 'x' } })).rejects.toMatchObject(refusal);
    network.check = () => new Promise(() => {});
    const asked = expect(api.instances.create({ credentials: { token: 'x' } })).rejects.toMatchObject(
      refusal,
    );
    await clock.advance(MINUTE);
    await asked;
    expect((await api.instances.list()).data).toEqual([]);
    const lines = harness.logs.filter(({ message }) => message.includes('could not check the credentials'));
    expect(lines).toHaveLength(2);
  });

  it('are refused on a network that has none', async () => {
    const { api } = await startHarness();
    const refusal = {
      code: 'VALIDATION_FAILED',
      details: {
        fields: { credentials: [expect.stringMatching(/^Is not possible on the network "sandbox"/)] },
      },
    };
    await expect(api.instances.create({ credentials: VALID })).rejects.toMatchObject(refusal);
    const { id } = await api.instances.create({ credentials: null });
    await expect(api.instances.update(id, { credentials: VALID })).rejects.toMatchObject(refusal);
    expect(await api.instances.update(id, { credentials: null })).toMatchObject({ has_credentials: false });
  });

  it('are in no log, event, response or database, whatever happens', async () => {
    const { sandbox, harness, api, clock, stored } = await start();
    await listen(harness);
    const errors: unknown[] = [];
    const { id } = await api.instances.create({ credentials: VALID });
    for (const token of ['stolen-sesame', 'sandbox-unreachable'])
      await api.instances
        .update(id, { credentials: { ...VALID, access_token: token } })
        .catch((error: unknown) => errors.push(error));
    await api.instances.connect(id);
    await clock.advance(MINUTE);
    await sandbox.phone(id).drop();
    await clock.advance(10 * MINUTE);
    const seen = [await api.instances.get(id), (await api.instances.list()).data, await stored(id)];
    expect(seen[0]).toMatchObject({ status: 'connected' });
    expect([errors.length, harness.sender.requests.length]).toEqual([2, 1]);
    const history = await api.instances.history(id);
    expect(everything([seen, history, harness.logs, harness.sender.requests, errors])).not.toContain(
      'sesame',
    );
  });

  it('are opened for no other instance, and resealed with a new key without a new connection', async () => {
    const { gateway, opened } = recordingGateway();
    const { harness, api, clock, stored } = await start({ gateway });
    const { id } = await api.instances.create({ credentials: { token: TOKEN } });
    const { id: other } = await api.instances.create({ credentials: { token: 'another' } });
    const { sealedCredentials } = await stored(other);
    await harness.storage.instances.write({
      instance: { ...(await stored(id)), sealedCredentials },
      event: null,
      lease: null,
    });
    await api.instances.connect(id);
    await clock.advance(MINUTE);
    expect(opened).toEqual([]);
    expect(everything(harness.logs)).toContain(`The credentials of ${id} cannot be opened`);

    await api.instances.update(id, { credentials: { token: TOKEN } });
    await clock.advance(10 * MINUTE);
    expect(opened).toEqual([{ token: TOKEN }]);
    const secretKey = ['the new key, of 32 characters or more', SECRET_KEY];
    const { trunkline } = await harness.another({ gateway, secretKey, roles: only('maintenance') });
    await clock.advance(2 * MINUTE);
    await trunkline.stop();
    const sealer = createSealer({
      secretKeys: secretKey.slice(0, 1),
      crypto: nodeCrypto(),
      random: seededRandom(7),
    });
    const text = sealer.openText((await stored(id)).sealedCredentials ?? '', credentialsPurpose(id));
    expect(JSON.parse(text)).toEqual({ token: TOKEN });
    expect(opened).toHaveLength(1);
  });
});

describe('the page for credentials', () => {
  async function asked(options: Parameters<typeof start>[0] = {}) {
    const parts = await start(options);
    const { id } = await parts.api.instances.create({ name: 'Desk' });
    await parts.api.instances.connect(id);
    await parts.clock.settle();
    const { code } = await parts.api.instances.qr(id);
    const token = code.slice(PAGE.length + 1);
    return { ...parts, id, code, token, pages: parts.harness.trunkline.linkPages };
  }

  it('has the address that the QR shows, and links the number', async () => {
    const { pages, id, code, token, api, clock } = await asked();
    expect(code).toMatch(/^https:\/\/service\.example\/link\/[\w-]+$/);
    expect(await pages.find(token)).toMatchObject({
      name: 'Desk',
      network: 'Sandbox with credentials',
      credentials: [
        { name: 'phone_number' },
        { name: 'access_token', secret: true },
        { name: 'capabilities' },
      ],
    });
    await expect(pages.submit(token, { ...VALID, access_token: 'stolen' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await pages.submit(token, VALID);
    await clock.advance(MINUTE);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected', phone_number: NUMBER });
    await expect(pages.find(token)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
    await expect(pages.submit(token, NEWER)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
  });

  it('is closed after an hour, and when the instance is disconnected or shows another QR', async () => {
    const { pages, id, token, api, clock } = await asked();
    await clock.advance(HOUR - MINUTE);
    expect(await pages.find(token)).toMatchObject({ name: 'Desk' });
    await clock.advance(2 * MINUTE);
    expect(await api.instances.get(id)).toMatchObject({ status: 'disconnected', last_error: 'qr_timeout' });
    await expect(pages.find(token)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });

    await api.instances.connect(id);
    await clock.settle();
    await expect(pages.find(token)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
    const { code } = await api.instances.qr(id);
    const next = code.slice(PAGE.length + 1);
    expect(await pages.find(next)).toMatchObject({ name: 'Desk' });
    await api.instances.disconnect(id);
    await expect(pages.find(next)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
    expect(await api.instances.get(id)).toMatchObject({ status: 'disconnected' });
  });

  it.each([[''], ['x'], ['%'], ['AAAA'.repeat(40)]])('does not exist for the token %j', async (token) => {
    const { pages } = await asked();
    await expect(pages.find(token)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
  });

  it('is replaced by words if the service does not know its address, and the log says what to do', async () => {
    const { code, id, harness } = await asked({ linkPage: undefined });
    expect(code).toContain(`PATCH /instances/${id}`);
    expect(harness.logs.filter(({ message }) => message.includes('PUBLIC_URL'))).toHaveLength(1);
  });
});

describe('the capabilities of a linked number', () => {
  it('narrow those of its network, in responses, events and acceptance, until it is unlinked', async () => {
    const { harness, api, clock } = await start();
    await listen(harness);
    const { id } = await api.instances.create();
    const all = (await api.instances.get(id)).capabilities;
    expect(all).toContain('groups');
    await api.instances.update(id, { credentials: { ...VALID, capabilities: 'text, image, holograms' } });
    expect(await api.instances.get(id)).toMatchObject({ capabilities: ['text', 'image'] });
    await api.instances.connect(id);
    await clock.advance(MINUTE);
    const [event] = harness.sender.requests.map(({ body }) => JSON.parse(body));
    expect(event.data.instance).toMatchObject({ capabilities: ['text', 'image'] });
    const [group] = (await api.instances.groups(id)).data;
    await expect(
      api.messages.send({ instance: id, to: group?.id ?? '', type: 'text', text: 'Hello' }),
    ).rejects.toMatchObject({ code: 'GROUP_NOT_FOUND' });
    expect((await sendText(harness, id)).message.status).toBe('queued');

    await api.instances.update(id, { credentials: VALID });
    expect(await api.instances.get(id)).toMatchObject({ capabilities: all });
    const toGroup = { instance: id, to: group?.id ?? '', type: 'text', text: 'Hello' } as const;
    expect((await api.messages.send(toGroup)).message.status).toBe('queued');
    await api.instances.logout(id);
    expect(await api.instances.get(id)).toMatchObject({ capabilities: all });
  });

  it('are those that the connection reports', async () => {
    const gateway = scriptedGateway();
    gateway.script.opened = ({ listener }) => listener.connected({ ...PROFILE, capabilities: ['groups'] });
    const harness = await startHarness({ gateway });
    const { id } = await harness.api.instances.create();
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    expect(await harness.api.instances.get(id)).toMatchObject({ capabilities: ['groups'] });
    await expect(sendText(harness, id)).rejects.toMatchObject({ code: 'UNSUPPORTED_MESSAGE_TYPE' });
  });
});
