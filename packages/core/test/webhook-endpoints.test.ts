import { describe, expect, it } from 'vitest';
import { OPT_IN_EVENT_TYPES, SUBSCRIBABLE_EVENT_TYPES } from '../src/index.ts';
import { REFUSED, TAKEN } from '../src/testing/index.ts';
import {
  HOUR,
  MINUTE,
  STEP,
  connectInstance,
  listen,
  only,
  sendText,
  startHarness,
} from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const HOOK = { url: 'https://hooks.example.com/', events: ['message.sent'] } as const;
const senders = () => startHarness({ roles: only('api', 'webhooks') });

describe('an endpoint', () => {
  it('is made enabled, with its secret shown and hinted at', async () => {
    const { api } = await senders();
    const webhook = await api.webhooks.create({ ...HOOK, description: 'CRM' });
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_/),
      url: HOOK.url,
      description: 'CRM',
      events: ['message.sent'],
      instances: null,
      secret_begins_at: null,
      status: 'enabled',
      secret: expect.stringMatching(/^whsec_/),
      secret_hint: `…${webhook.secret.slice(-4)}`,
      last_delivery: null,
      disabled_at: null,
      disabled_reason: null,
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: '2026-01-01T00:00:00.000+00:00',
      trace_context: false,
      failing_since: null,
      auto_disable_at: null,
    });
  });

  it('is changed only in the fields that are named', async () => {
    const { api, clock } = await senders();
    const { id } = await api.webhooks.create({ ...HOOK, description: 'CRM' });
    await clock.advance(5);
    const changed = await api.webhooks.update(id, { events: ['message.read', 'message.failed'] });
    expect(changed).toMatchObject({
      url: HOOK.url,
      description: 'CRM',
      events: ['message.read', 'message.failed'],
      status: 'enabled',
    });
    expect(changed.updated_at).toBe('2026-01-01T00:00:00.005+00:00');
    await clock.advance(5);
    expect(await api.webhooks.update(id, {})).toEqual(changed);
    expect(await api.webhooks.get(id)).toEqual(changed);
    expect(await api.webhooks.update(id, { description: null })).toMatchObject({ description: null });
    expect(await api.webhooks.get(id)).toMatchObject({
      events: ['message.read', 'message.failed'],
      description: null,
    });
  });

  it('may name every event, those beyond the specification too, and nothing else', async () => {
    const { api } = await senders();
    const events = [...SUBSCRIBABLE_EVENT_TYPES, ...OPT_IN_EVENT_TYPES];
    const { id } = await api.webhooks.create({ ...HOOK, events });
    expect(await api.webhooks.get(id)).toMatchObject({ events });
    for (const name of ['webhook.test', 'message.reacted', 'call.*']) {
      const unknown = api.webhooks.create({ ...HOOK, events: ['message.sent', name as 'message.sent'] }); // as a REST client may
      await expect(unknown).rejects.toMatchObject({ code: 'VALIDATION_FAILED', status: 422 });
    }
  });

  it('gets the events of the instances that it chose, until it chooses others or all', async () => {
    const harness = await startHarness();
    const { api, sender } = harness;
    const [first, second] = [await connectInstance(harness), await connectInstance(harness)];
    const { id } = await api.webhooks.create({ ...HOOK, instances: [first] });
    const receives = async (expected: readonly string[]): Promise<void> => {
      const before = sender.requests.length;
      for (const instance of [first, second]) await sendText(harness, instance);
      await harness.clock.advance(MINUTE);
      const bodies = sender.requests.slice(before).map(({ body }) => JSON.parse(body));
      expect(bodies.map(({ data }) => data.message.instance_id)).toEqual(expected);
    };
    await receives([first]);
    expect(await api.webhooks.update(id, { description: 'CRM' })).toMatchObject({ instances: [first] });
    expect(await api.webhooks.update(id, { instances: [second] })).toMatchObject({ instances: [second] });
    await receives([second]);
    await api.webhooks.update(id, { instances: null });
    await receives([first, second]);
  });

  it('chooses among the instances of its workspace, and keeps one that is deleted', async () => {
    const harness = await startHarness();
    const { api } = harness;
    const [first, second] = [await api.instances.create(), await api.instances.create()];
    const { id: otherId } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const { id: elsewhere } = await harness.trunkline.workspace(otherId).instances.create();
    for (const instances of [
      [elsewhere],
      [first.id, 'ins_00000000000000000000000000'],
      ['x'],
      [],
      [first.id, first.id],
    ])
      await expect(api.webhooks.create({ ...HOOK, instances })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { instances: [expect.any(String)] } },
      });
    const { id } = await api.webhooks.create({ ...HOOK, instances: [first.id] });
    await api.instances.delete(first.id);
    const both = [first.id, second.id];
    expect(await api.webhooks.update(id, { instances: both })).toMatchObject({ instances: both });
    await api.webhooks.update(id, { instances: [second.id] });
    await expect(api.webhooks.update(id, { instances: both })).rejects.toMatchObject({ status: 422 });
  });

  it('is listed newest first, and gone once it is deleted', async () => {
    const { api } = await senders();
    const [first, second] = [await api.webhooks.create(HOOK), await api.webhooks.create(HOOK)];
    expect(await api.webhooks.list()).toMatchObject({
      data: [{ id: second.id }, { id: first.id }],
      configured: false,
    });
    await api.webhooks.delete(first.id);
    expect((await api.webhooks.list()).data.map(({ id }) => id)).toEqual([second.id]);
    await expect(api.webhooks.delete(first.id)).rejects.toMatchObject({
      code: 'WEBHOOK_NOT_FOUND',
      status: 404,
    });
  });

  it.each([
    ['http', 'http://hooks.example.com/'],
    ['a port of its own', 'https://hooks.example.com:9000/'],
    ['a private address', 'https://10.0.0.1/'],
    ['a name that resolves to one', 'https://inside.example.com/'],
    ['a name with one among public ones', 'https://mixed.example.com/'],
    ['a name that does not resolve', 'https://nowhere.example.com/'],
    ['a name that cannot be asked for', 'https://broken.example.com/'],
  ])('may not have a URL with %s', async (_, url) => {
    const addresses: Record<string, readonly string[]> = {
      'inside.example.com': ['192.168.1.7'],
      'mixed.example.com': ['93.184.215.14', '127.0.0.1'],
      'nowhere.example.com': [],
      'hooks.example.com': ['93.184.215.14'],
    };
    const resolve = async (name: string) => addresses[name] ?? Promise.reject(new Error('SERVFAIL'));
    const { api } = await startHarness({ dns: { resolve } });
    const refused = { code: 'INVALID_WEBHOOK_URL', status: 422 };
    await expect(api.webhooks.create({ ...HOOK, url })).rejects.toMatchObject(refused);
    const { id } = await api.webhooks.create(HOOK);
    await expect(api.webhooks.update(id, { url })).rejects.toMatchObject(refused);
    expect(await api.webhooks.get(id)).toMatchObject({ url: HOOK.url });
  });

  it('is refused in the same words whether its host does not resolve or is private', async () => {
    const addresses: Record<string, readonly string[]> = { 'inside.example.com': ['192.168.1.7'] };
    const resolve = async (name: string) => addresses[name] ?? Promise.reject(new Error('SERVFAIL'));
    const { api } = await startHarness({ dns: { resolve } });
    const messageFor = async (url: string) =>
      api.webhooks.create({ ...HOOK, url }).then(
        () => 'accepted',
        (error: unknown) => String(error),
      );
    const inside = await messageFor('https://inside.example.com/');
    expect(inside).toMatch(/must resolve, and to public addresses only/);
    expect(await messageFor('https://nowhere.example.com/')).toBe(inside);
    expect(inside).toMatch(
      /WEBHOOK_URL_POLICY=local .* WEBHOOK_ALLOW \(webhookAllow\).* WEBHOOK_DENY \(webhookDeny\)/,
    );
  });

  it.each([
    ['6to4', 'https://[2002:a00:1::1]/'],
    ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/'],
    ['local NAT64', 'https://[64:ff9b:1::a00:1]/'],
    ['6to4, over http', 'http://[2002:a00:1::1]/'],
  ])('is not said to be a matter of the operator if its address is never allowed: %s', async (_, url) => {
    const { api } = await startHarness();
    const error: unknown = await api.webhooks.create({ ...HOOK, url }).catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ code: 'INVALID_WEBHOOK_URL' });
    expect(String(error)).not.toContain('operator');
    // The IPv4 address that a NAT64 prefix translates to can be allowed.
    await expect(api.webhooks.create({ ...HOOK, url: 'https://[64:ff9b::a00:1]/' })).rejects.toThrow(
      'webhookAllow',
    );
  });

  it('may be on this machine in development', async () => {
    const { api } = await startHarness({ urlPolicy: 'local', dns: { resolve: async () => ['127.0.0.1'] } });
    await api.webhooks.create({ ...HOOK, url: 'http://localhost:9000/hook' });
    await expect(api.webhooks.create({ ...HOOK, url: 'http://10.0.0.1/' })).rejects.toMatchObject({
      code: 'INVALID_WEBHOOK_URL',
    });
  });

  it('is refused if its name does not resolve within three seconds', async () => {
    const { api, clock } = await startHarness({
      dns: {
        resolve: (_, signal) =>
          new Promise((__, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
      },
    });
    const creating = api.webhooks.create(HOOK).catch((error: unknown) => error);
    await clock.advance(3_000);
    expect(await creating).toMatchObject({ code: 'INVALID_WEBHOOK_URL' });
  });

  it('is refused after three seconds by a resolver that ignores its signal, too', async () => {
    const { api, clock } = await startHarness({ dns: { resolve: () => new Promise(() => {}) } });
    const creating = api.webhooks.create(HOOK).catch((error: unknown) => error);
    await clock.advance(3_000);
    expect(await Promise.race([creating, Promise.resolve('still waiting')])).toMatchObject({
      code: 'INVALID_WEBHOOK_URL',
    });
  });
});

describe('an endpoint that is disabled', () => {
  it('has its open deliveries failed, and is notified of nothing more', async () => {
    const harness = await startHarness();
    const { id } = await listen(harness);
    const instance = await connectInstance(harness);
    harness.sender.respond(() => REFUSED);
    await sendText(harness, instance);
    await harness.clock.advance(3 * STEP);
    const sent = harness.sender.requests.length;
    expect(await harness.api.webhooks.update(id, { status: 'disabled' })).toMatchObject({
      status: 'disabled',
      disabled_reason: 'manual',
      disabled_at: '2026-01-01T00:00:00.100+00:00',
    });

    const { data } = await harness.api.webhooks.deliveries(id, { status: 'failed' });
    expect(data).toHaveLength(3);
    expect(data[0]).toMatchObject({ error_code: 'ENDPOINT_DISABLED', next_retry_at: null, attempts: 1 });
    await sendText(harness, instance);
    await harness.clock.advance(HOUR);
    expect(harness.sender.requests).toHaveLength(sent);
  });

  it('gets only new events once it is enabled again', async () => {
    const harness = await startHarness();
    const { id } = await listen(harness);
    const instance = await connectInstance(harness);
    await harness.api.webhooks.update(id, { status: 'disabled' });
    await sendText(harness, instance, '34600000001');
    await harness.clock.advance(MINUTE);
    const before = harness.sender.requests.length;
    expect(await harness.api.webhooks.update(id, { status: 'enabled' })).toMatchObject({
      status: 'enabled',
      disabled_at: null,
      disabled_reason: null,
    });
    await harness.clock.advance(HOUR);
    expect(harness.sender.requests).toHaveLength(before);
    await sendText(harness, instance, '34600000001');
    await harness.clock.advance(MINUTE);
    expect(harness.sender.requests).toHaveLength(before + 1);
  });

  it('while a request is on its way has the response in its log, and the delivery stays failed', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    let respond = (): void => {};
    harness.sender.respond(
      () =>
        new Promise(
          (resolve) =>
            (respond = () => resolve({ errorCode: null, responseStatus: 200, responseBody: 'ok' })),
        ),
    );
    const { id: deliveryId } = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    await harness.api.webhooks.update(id, { status: 'disabled' });
    await harness.api.webhooks.update(id, { status: 'enabled' });
    await expect(harness.api.deliveries.retry(deliveryId)).rejects.toMatchObject({
      code: 'WEBHOOK_RETRY_NOT_ALLOWED',
    });
    respond();
    await harness.clock.settle();
    expect(await harness.api.deliveries.get(deliveryId)).toMatchObject({
      status: 'failed',
      error_code: 'ENDPOINT_DISABLED',
      attempts: 1,
      attempt_log: [{ error_code: null, response_status: 200 }],
    });
    await harness.api.deliveries.retry(deliveryId);
  });

  it('keeps the success of a request during which it was enabled again', async () => {
    const storage = memoryStorage();
    const { endpoints } = storage;
    const write = endpoints.write.bind(endpoints);
    const harness = await startHarness({ storage });
    const { id } = await listen(harness);
    const response = Promise.withResolvers<typeof TAKEN>();
    harness.sender.respond(() => response.promise);
    await harness.api.webhooks.test(id);
    await harness.clock.settle();
    await harness.api.webhooks.update(id, { status: 'disabled' });

    endpoints.write = async (change) => {
      response.resolve(TAKEN);
      await harness.clock.settle();
      return write(change);
    };
    await harness.api.webhooks.update(id, { status: 'enabled' });
    expect(await harness.api.webhooks.get(id)).toMatchObject({ last_delivery: { response_status: 200 } });
    expect(await harness.api.webhooks.list()).toMatchObject({ configured: true });
  });

  it('can be retried by hand once it is enabled', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    harness.sender.respond(() => REFUSED);
    const { id: deliveryId } = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    await harness.api.webhooks.update(id, { status: 'disabled' });
    await harness.api.webhooks.update(id, { status: 'enabled' });
    expect(await harness.api.webhooks.retryFailedDeliveries(id)).toEqual({ requeued: 1, remaining: 0 });
    expect(await harness.api.deliveries.get(deliveryId)).toMatchObject({ status: 'pending' });
  });
});

describe('an endpoint that is deleted', () => {
  it('has its open deliveries failed, and they stay readable by id', async () => {
    const harness = await senders();
    const { id } = await listen(harness);
    harness.sender.respond(() => REFUSED);
    const { id: deliveryId } = await harness.api.webhooks.test(id);
    await harness.clock.settle();
    await harness.api.webhooks.delete(id);
    await harness.clock.advance(HOUR);
    expect(harness.sender.requests).toHaveLength(1);
    expect(await harness.api.deliveries.get(deliveryId)).toMatchObject({
      status: 'failed',
      error_code: 'ENDPOINT_DELETED',
      next_retry_at: null,
    });
    await expect(harness.api.webhooks.deliveries(id)).rejects.toMatchObject({ code: 'WEBHOOK_NOT_FOUND' });
  });
});
