import { describe, expect, it } from 'vitest';
import { isTrunklineError } from '../src/index.ts';
import {
  MINUTE,
  STEP,
  connectInstance,
  listen,
  sendText,
  startHarness,
  receivedEvents,
  receivedTypes,
} from './support/harness.ts';

describe('the API of a workspace', () => {
  it('goes from a new instance over the QR to a message that is read', async () => {
    const harness = await startHarness();
    const { api, clock, sandbox } = harness;
    await listen(harness);

    const created = await api.instances.create({ name: ' Support ' });
    expect(created).toMatchObject({
      name: 'Support',
      status: 'created',
      paired: false,
      capabilities: harness.sandbox.gateway.capabilities,
    });
    expect(await api.instances.connect(created.id)).toMatchObject({ status: 'connecting' });

    await clock.advance(STEP);
    expect(await api.instances.get(created.id)).toMatchObject({ status: 'qr_required' });
    const qr = await api.instances.qr(created.id);
    expect(qr.svg).toMatch(/^<svg /);
    expect(qr.expires_at).toBe('2026-01-01T00:01:00.025+00:00');

    await sandbox.phone(created.id).scan({ phoneNumber: '34911222333', profileName: 'Ada' });
    expect(await api.instances.get(created.id)).toMatchObject({
      status: 'connected',
      paired: true,
      phone_number: '34911222333',
      profile_name: 'Ada',
    });

    const { message, replayed } = await sendText(harness, created.id, '+34 600 000 009');
    expect(replayed).toBe(false);
    expect(message).toMatchObject({
      status: 'queued',
      direction: 'outbound',
      to: '34600000009',
      from: '34911222333',
      text: 'Hello',
    });
    expect(message.queued_at).toBe(message.created_at);

    await clock.advance(3 * STEP);
    expect(await api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(receivedTypes(harness)).toEqual([
      'instance.qr_required',
      'instance.connected',
      'message.sent',
      'message.delivered',
      'message.read',
    ]);
  });

  it('reports each step of a message as it stood then, at a time of its own', async () => {
    const harness = await startHarness();
    await listen(harness);
    const { message } = await sendText(harness, await connectInstance(harness));
    await harness.clock.advance(3 * STEP);

    const steps = receivedEvents(harness).filter(({ type }) => type.startsWith('message.'));
    expect(steps.map(({ data }) => data)).toMatchObject([
      { message: { id: message.id, status: 'sent', delivered_at: null, read_at: null } },
      { message: { id: message.id, status: 'delivered', read_at: null } },
      { message: { id: message.id, status: 'read' } },
    ]);
    const times = receivedEvents(harness).map(({ created_at }) => created_at);
    expect(times).toEqual([...new Set(times)].toSorted());
  });

  it('shows each QR until it runs out, then the next, and notifies receivers once', async () => {
    const harness = await startHarness();
    const { api, clock } = harness;
    await listen(harness);
    const { id } = await api.instances.create();
    await api.instances.connect(id);
    await clock.advance(STEP);
    const first = await api.instances.qr(id);
    await clock.advance(MINUTE);
    const second = await api.instances.qr(id);

    expect(second.code).not.toBe(first.code);
    expect(receivedTypes(harness)).toEqual(['instance.qr_required']);
  });

  it('has a QR of an instance only while one can be scanned', async () => {
    const harness = await startHarness();
    const { api, clock } = harness;
    const { id } = await api.instances.create();
    await expect(api.instances.qr(id)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE', status: 409 });
    await api.instances.connect(id);
    await expect(api.instances.qr(id)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
    await clock.advance(STEP);
    await harness.sandbox.phone(id).scan();
    await expect(api.instances.qr(id)).rejects.toMatchObject({ code: 'QR_NOT_AVAILABLE' });
  });

  it('leaves empty fields out of an event, but never the id, the name and the status', async () => {
    const harness = await startHarness();
    await listen(harness);
    const { id } = await harness.api.instances.create({ name: 'Support' });
    await harness.api.instances.connect(id);
    await harness.clock.advance(STEP);

    const [event] = receivedEvents(harness);
    const data = event?.data as Record<string, unknown>; // the body is a JSON object
    const { instance } = data;
    expect(Object.keys(data)).toEqual(['instance']);
    expect(instance).toMatchObject({
      id,
      name: 'Support',
      status: 'qr_required',
      paired: false,
      capabilities: harness.sandbox.gateway.capabilities,
    });
    expect(instance).not.toHaveProperty('phone_number');
    expect(Object.values(instance as object)).not.toContain(null); // an object, as the line above has checked
  });

  it('changes nothing when an instance that connects or is connected is to connect', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const before = await harness.api.instances.get(id);
    expect(await harness.api.instances.connect(id)).toEqual(before);
  });

  it('renames an instance, and leaves the name if omitted', async () => {
    const { api, clock } = await startHarness();
    const { id, name } = await api.instances.create();
    expect(name).toBe(`Instance ${id.slice(-4)}`);
    await clock.advance(5);
    expect(await api.instances.update(id, { name: 'Sales' })).toMatchObject({
      name: 'Sales',
      updated_at: '2026-01-01T00:00:00.005+00:00',
    });
    expect(await api.instances.update(id, {})).toMatchObject({ name: 'Sales' });
    // Changes that come together, of which each knows the instance before the others.
    await Promise.all(
      [{ name: 'Desk' }, { pace: 'off' } as const].map((one) => api.instances.update(id, one)),
    );
    expect(await api.instances.get(id)).toMatchObject({ name: 'Desk', pace: 'off' });
    await expect(api.instances.update(id, { name: ' ' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('treats resources of another workspace as not found', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const { message } = await sendText(harness, id);
    const webhook = await listen(harness);
    const delivery = await harness.api.webhooks.test(webhook.id);
    const { id: otherId } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const other = harness.trunkline.workspace(otherId);

    const attempts = {
      INSTANCE_NOT_FOUND: [
        () => other.instances.get(id),
        () => other.instances.update(id, { name: 'x' }),
        () => other.instances.connect(id),
        () => other.instances.disconnect(id),
        () => other.instances.logout(id),
        () => other.instances.delete(id),
        () => other.instances.qr(id),
        () => other.instances.groups(id),
        () => other.messages.list({ instance: id }),
        () => sendText({ api: other }, id),
      ],
      MESSAGE_NOT_FOUND: [() => other.messages.get(message.id)],
      WEBHOOK_NOT_FOUND: [
        () => other.webhooks.get(webhook.id),
        () => other.webhooks.update(webhook.id, {}),
        () => other.webhooks.delete(webhook.id),
        () => other.webhooks.rotateSecret(webhook.id),
        () => other.webhooks.test(webhook.id),
        () => other.webhooks.deliveries(webhook.id),
        () => other.webhooks.retryFailedDeliveries(webhook.id),
      ],
      WEBHOOK_DELIVERY_NOT_FOUND: [
        () => other.deliveries.get(delivery.id),
        () => other.deliveries.retry(delivery.id),
      ],
    };
    for (const [code, calls] of Object.entries(attempts)) {
      for (const call of calls) {
        const error: unknown = await Promise.resolve(call()).catch((thrown: unknown) => thrown);
        expect(isTrunklineError(error) && error.code).toBe(code);
      }
    }
    expect((await other.instances.list()).data).toEqual([]);
    expect((await other.messages.list()).data).toEqual([]);
    expect((await other.webhooks.list()).data).toEqual([]);
  });
});
