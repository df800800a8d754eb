import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Gateway } from '../src/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import { killable } from './support/killable.ts';
import { MINUTE, SECOND, STEP, after, only, startHarness, receivedTypes } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

type Scan = Parameters<ReturnType<Harness['sandbox']['phone']>['scan']>[0];

/** An instance that is linked to an account with a passkey, up to the network's request. */
async function asked(harness: Harness, scan: Scan = { passkey: true }): Promise<string> {
  const { api, clock, sandbox } = harness;
  const { id } = await api.instances.create();
  await api.instances.connect(id);
  await clock.advance(STEP);
  await sandbox.phone(id).scan(scan);
  await clock.settle();
  return id;
}

/** Lets the network take its time. */
function pass<Value>(harness: Harness, request: Promise<Value>): Promise<Value> {
  return after(harness, 4 * STEP, request);
}

describe('an account that is linked only with its passkey', () => {
  it('is linked by the answer of a browser', async () => {
    const harness = await startHarness();
    const { api, sandbox } = harness;
    await api.webhooks.create({
      url: 'https://hooks.example.com/all',
      events: ['instance.qr_required', 'instance.passkey_required', 'instance.connected'],
    });
    const id = await asked(harness, { passkey: true, phoneNumber: '15550100' });
    expect(await api.instances.get(id)).toMatchObject({
      status: 'qr_required',
      last_error: 'passkey_required',
      paired: false,
    });
    await expect(api.instances.qr(id)).rejects.toMatchObject({
      code: 'QR_NOT_AVAILABLE',
      message: expect.stringContaining('/passkey'),
    });
    const step = await api.instances.passkey(id);
    expect(step).toEqual({
      step: 'assertion',
      request_options: expect.objectContaining({ rpId: 'localhost', userVerification: 'required' }),
      page: 'http://localhost/',
      script: expect.stringContaining(step.request_options?.challenge ?? 'none'),
      code: null,
      expires_at: '2026-01-01T00:10:00.025+00:00',
    });
    await expect(api.instances.confirmPasskey(id)).rejects.toMatchObject({ code: 'PASSKEY_NOT_AVAILABLE' });

    const answer = await sandbox.phone(id).signPasskey();
    await pass(harness, api.instances.answerPasskey(id, answer));
    await harness.clock.advance(STEP);
    expect(await api.instances.get(id)).toMatchObject({
      status: 'connected',
      last_error: null,
      phone_number: '15550100',
    });
    for (const late of [api.instances.passkey(id), api.instances.answerPasskey(id, answer)])
      await expect(late).rejects.toMatchObject({ code: 'PASSKEY_NOT_AVAILABLE', status: 409 });
    expect(receivedTypes(harness)).toEqual([
      'instance.qr_required',
      'instance.passkey_required',
      'instance.connected',
    ]);
    const { data } = await api.instances.history(id);
    expect(data.map(({ reason }) => reason).toReversed()).toEqual([
      'created',
      'connect_requested',
      'pairing_begun',
      'passkey_required',
      'passkey_accepted',
      'paired',
    ]);
    expect(data.find(({ reason }) => reason === 'passkey_required')?.next).toMatchObject({
      kind: 'use_passkey',
      text: 'needs the passkey of its account within 10 min',
    });
    expect(JSON.stringify(harness.logs)).not.toContain(answer.response.clientDataJSON);
  });

  it('is not kept busy by a network that does not respond to the answer', async () => {
    const sandbox = createSandbox();
    const gateway: Gateway = {
      ...sandbox.gateway,
      open: async (...of) => ({
        ...(await sandbox.gateway.open(...of)),
        answerPasskey: () => new Promise(() => {}),
      }),
    };
    const harness = { ...(await startHarness({ gateway })), sandbox };
    const id = await asked(harness);
    const answered = harness.api.instances.answerPasskey(id, await sandbox.phone(id).signPasskey());
    await expect(after(harness, 15 * SECOND, answered)).rejects.toMatchObject({ code: 'GATEWAY_ERROR' });
    await expect(harness.api.instances.disconnect(id)).rejects.toMatchObject({ code: 'INSTANCE_BUSY' });
    await harness.clock.advance(15 * SECOND);
    expect(await pass(harness, harness.api.instances.disconnect(id))).toMatchObject({
      status: 'disconnected',
    });
  });

  it('has a person compare a code if the network wants it', async () => {
    const harness = await startHarness();
    const { api, sandbox } = harness;
    const id = await asked(harness, { passkey: 'then_code' });
    const answer = await sandbox.phone(id).signPasskey();
    await pass(harness, api.instances.answerPasskey(id, answer));
    expect(await api.instances.passkey(id)).toMatchObject({
      step: 'confirmation',
      request_options: null,
      script: null,
      code: expect.stringMatching(/^\w{4}-\w{4}$/),
    });
    await expect(api.instances.answerPasskey(id, answer)).rejects.toMatchObject({
      code: 'PASSKEY_NOT_AVAILABLE',
      message: expect.stringContaining('accepted the passkey already'),
    });
    await pass(harness, api.instances.confirmPasskey(id));
    await harness.clock.advance(STEP);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('refuses what is not the answer to the current request, and says why', async () => {
    const harness = await startHarness();
    const { api, sandbox } = harness;
    const id = await asked(harness);
    const answer = await sandbox.phone(id).signPasskey();
    const signed = (changes: object): typeof answer => {
      const data = JSON.parse(Buffer.from(answer.response.clientDataJSON, 'base64url').toString());
      const clientDataJSON = Buffer.from(JSON.stringify({ ...data, ...changes })).toString('base64url');
      return { ...answer, response: { ...answer.response, clientDataJSON } };
    };
    const wrong: readonly (readonly [unknown, string, RegExp])[] = [
      [{}, 'response', /required/],
      [{ ...answer, type: 'password' }, 'type', /public-key/],
      [{ ...answer, rawId: 'a+b' }, 'rawId', /base64url/],
      [{ ...answer, id: 'x'.repeat(2_049) }, 'id', /at most 2048/],
      [{ ...answer, response: { ...answer.response, signature: '' } }, 'response', /base64url/],
      [{ ...answer, response: { ...answer.response, clientDataJSON: 'bm8' } }, 'response', /whole answer/],
      [signed({ type: 'webauthn.create' }), 'response', /whole answer/],
      [signed({ challenge: 'b3RoZXI' }), 'response', /another request/],
      [signed({ origin: 'https://localhost.example' }), 'response', /made on localhost\.example/],
      [signed({ origin: 'https://notlocalhost' }), 'response', /made on notlocalhost/],
    ];
    for (const [input, field, why] of wrong) {
      const given = api.instances.answerPasskey(id, input as typeof answer); // as a caller without types may pass
      await expect(given).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { [field]: [expect.stringMatching(why)] } },
      });
    }
    const flags = Buffer.from(answer.response.authenticatorData, 'base64url');
    flags[32] = 1;
    const unverified = { ...answer.response, authenticatorData: flags.toString('base64url') };
    const refused = pass(harness, api.instances.answerPasskey(id, { ...answer, response: unverified }));
    await expect(refused).rejects.toMatchObject({
      code: 'GATEWAY_ERROR',
      message: expect.stringMatching(/did not accept the passkey: .* did not verify the person/),
    });
    expect((await api.instances.history(id)).data[0]).toMatchObject({ reason: 'passkey_refused' });
    const padded = {
      ...answer,
      id: `${answer.id}=`,
      response: { ...answer.response, userHandle: undefined },
    };
    await pass(harness, api.instances.answerPasskey(id, padded));
    await harness.clock.advance(STEP);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected' });
  });

  it('is not linked if nobody uses the passkey in time', async () => {
    const harness = await startHarness();
    const { api, sandbox, clock } = harness;
    const id = await asked(harness);
    const answer = await sandbox.phone(id).signPasskey();
    await clock.advance(9 * MINUTE);
    expect(await api.instances.get(id)).toMatchObject({ status: 'qr_required' });
    await clock.advance(MINUTE);
    expect(await api.instances.get(id)).toMatchObject({ status: 'error', last_error: 'passkey_required' });
    await expect(api.instances.answerPasskey(id, answer)).rejects.toMatchObject({
      code: 'PASSKEY_NOT_AVAILABLE',
    });
    await api.instances.connect(id);
    await clock.advance(STEP);
    expect(await api.instances.get(id)).toMatchObject({ status: 'qr_required', last_error: null });
  });

  it('is linked through a process that does not hold it, and again after its process was killed', async () => {
    const harness = await startHarness({ roles: only('api') });
    const { api, sandbox, clock } = harness;
    const first = killable(harness.storage);
    await harness.another({ storage: first.storage, roles: only('gateway') });
    const id = await asked(harness);
    const answer = await sandbox.phone(id).signPasskey();
    first.kill();
    const second = await harness.another({ roles: only('gateway') });
    const lost = after(harness, 40 * SECOND, api.instances.answerPasskey(id, answer));
    await expect(lost).rejects.toMatchObject({
      code: expect.stringMatching(/^GATEWAY_(ERROR|UNAVAILABLE)$/),
    });
    await clock.advance(40 * SECOND);
    expect(await api.instances.get(id)).toMatchObject({ status: 'qr_required', last_error: null });
    expect((await api.instances.history(id)).data.map(({ reason }) => reason)).toContain('passkey_refused');

    await sandbox.phone(id).scan({ passkey: true });
    await clock.settle();
    const next = await sandbox.phone(id).signPasskey();
    await after(harness, SECOND, api.instances.answerPasskey(id, next));
    await clock.advance(SECOND);
    expect(await api.instances.get(id)).toMatchObject({ status: 'connected' });
    await second.trunkline.stop();
  });

  it('can be given up by a disconnect', async () => {
    const harness = await startHarness();
    const id = await asked(harness);
    expect(await harness.api.instances.disconnect(id)).toMatchObject({
      status: 'disconnected',
      last_error: 'passkey_required',
    });
    await expect(harness.api.instances.passkey(id)).rejects.toMatchObject({ code: 'PASSKEY_NOT_AVAILABLE' });
  });
});

it('writes a script that is JavaScript, whatever the network sends', async () => {
  const harness = await startHarness();
  const id = await asked(harness);
  const { script } = await harness.api.instances.passkey(id);
  const shown: string[] = [];
  const element = {
    style: {},
    append() {},
    appendChild: (child: object) => child,
    showModal: () => shown.push('dialog'),
  };
  runInNewContext(script ?? '', {
    document: { createElement: () => ({ ...element }), body: { append() {} } },
  });
  expect(shown).toEqual(['dialog']);
});
