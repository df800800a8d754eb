import { OPT_IN_EVENT_TYPES, SUBSCRIBABLE_EVENT_TYPES } from '@trunkline/core';
import { signRequest, vectors } from '@trunkline/receiver/testing';
import { eventually } from '@trunkline/test-support';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asText } from '../nodes/Trunkline/as-text.ts';
import { isNewEvent } from '../nodes/Trunkline/recent-events.ts';
import { TrunklineTrigger } from '../nodes/Trunkline/TrunklineTrigger.node.ts';
import type { TriggerWorkflow } from './support/n8n.ts';
import { useService } from './support/start-service.ts';

const service = useService();
const URL_OF_N8N = 'https://n8n.example.com/webhook/5f0c/webhook';
let workflow: TriggerWorkflow;
beforeEach(() => {
  workflow = workflowOf({ events: ['message.received', 'message.failed'] });
  service().receive = (request) => workflow.receive(request);
});
afterEach(() => {
  vi.useRealTimers();
});

const workflowOf = (parameters: INodeParameters): TriggerWorkflow =>
  service().n8n.workflow(new TrunklineTrigger(), parameters);
const endpoints = () =>
  service()
    .trunkline.workspace.webhooks.list()
    .then(({ data }) => data);
const secret = (): string => asText((workflow.staticData['endpoint'] as IDataObject)['secret']);
const signed = async (body: object | string, url = URL_OF_N8N): Promise<Request> =>
  new Request(
    url,
    await signRequest({ secret: secret(), body: typeof body === 'string' ? body : JSON.stringify(body) }),
  );
const event = (id: string, data: object = { message: { instance_id: 'ins_1', text: 'Hello' } }): object => ({
  id,
  type: 'message.received',
  created_at: '2026-11-20T21:15:00.123456Z',
  workspace_id: 'ten_1',
  data,
});

describe('while its workflow is active', () => {
  it('the trigger has an endpoint for its events, and starts the workflow with each', async () => {
    await workflow.activate();
    expect(await endpoints()).toMatchObject([
      {
        url: URL_OF_N8N,
        events: ['message.received', 'message.failed'],
        description: 'n8n: Orders (WvYpq0pZ7nMd1xQe)',
      },
    ]);
    const { id } = await service().trunkline.connectInstance();
    await service().trunkline.sandbox.phone(id).receive({ from: '15550177', text: 'Where is it?' });
    await eventually(() =>
      expect(workflow.started).toMatchObject([
        { type: 'message.received', data: { message: { instance_id: id, text: 'Where is it?' } } },
      ]),
    );
  });

  it('the trigger does not reveal its secret, and deletes its endpoint when it ends', async () => {
    await workflow.activate();
    expect(secret()).toMatch(/^whsec_/);
    await workflow.deactivate();
    expect(await endpoints()).toEqual([]);
    expect(workflow.staticData).toEqual({});
  });

  it('a test run has a separate endpoint', async () => {
    await workflow.activate();
    const stop = await workflow.listen();
    expect((await endpoints()).map(({ url }) => url).toSorted()).toEqual([
      'https://n8n.example.com/webhook-test/5f0c/webhook',
      URL_OF_N8N,
    ]);
    await stop();
    expect(await endpoints()).toMatchObject([{ url: URL_OF_N8N, status: 'enabled' }]);
    await workflow.receive(await signed(event('evt_1')));
    expect(workflow.started).toHaveLength(1);
  });
});

describe('a workflow that becomes active again', () => {
  it('keeps its endpoint, which gets the currently chosen events', async () => {
    await workflow.activate();
    const [before] = await endpoints();
    await service().trunkline.workspace.webhooks.update(before?.id ?? '', { status: 'disabled' });
    workflow.parameters = { events: ['instance.disconnected'] };
    await workflow.activate();
    expect(await endpoints()).toMatchObject([
      { id: before?.id, events: ['instance.disconnected'], status: 'enabled' },
    ]);
  });

  it('gets a new endpoint if the old one was deleted, by whomever', async () => {
    await workflow.activate();
    const [before] = await endpoints();
    await service().trunkline.workspace.webhooks.delete(before?.id ?? '');
    await workflow.activate();
    expect(await endpoints()).toMatchObject([{ id: expect.not.stringMatching(`^${before?.id}$`) }]);
    await service().trunkline.workspace.webhooks.delete((await endpoints())[0]?.id ?? '');
    await workflow.deactivate();
    expect(workflow.staticData).toEqual({});
  });

  it('reclaims the endpoint with its address if n8n has lost the secret', async () => {
    await workflow.activate();
    const [before] = await endpoints();
    const lost = secret();
    workflow.staticData = {};
    await workflow.activate();
    expect(await endpoints()).toMatchObject([{ id: before?.id }]);
    expect(secret()).not.toBe(lost);
    expect((await workflow.receive(await signed(event('evt_1')))).status).toBe(200);
  });

  it('reports why it cannot: the workspace has its maximum of endpoints', async () => {
    const { webhooks } = service().trunkline.workspace;
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await webhooks.create({ url: `https://${name}.example.com/`, events: ['message.sent'] });
    await expect(workflow.activate()).rejects.toThrow(/^WEBHOOK_LIMIT_REACHED: /);
  });
});

describe('a request to the trigger', () => {
  it('is verified like in the receiver, by its vectors', async () => {
    workflow = workflowOf({ events: [...SUBSCRIBABLE_EVENT_TYPES, ...OPT_IN_EVENT_TYPES] });
    for (const {
      name,
      secret: oneOf,
      headers,
      body,
      received_at,
      tolerance,
      expect: expected,
    } of vectors.requests) {
      // The node keeps only one secret, and the default tolerance.
      if (typeof oneOf !== 'string' || tolerance !== undefined) continue;
      vi.useFakeTimers({ toFake: ['Date'], now: received_at * 1000 });
      workflow.staticData = { endpoint: { id: `wh_${name}`, secret: oneOf } };
      const before = workflow.started.length;
      const { status, text } = await workflow.deliver({
        url: URL_OF_N8N,
        headers,
        rawBody: Buffer.from(body, 'base64'),
      });
      expect([status, text], name).toEqual(
        expected.ok ? [200, expect.stringMatching(/^(started|ignored)$/)] : [400, expected.reason],
      );
      if (!expected.ok) expect(workflow.started).toHaveLength(before);
    }
  });

  it('is to be sent again while the trigger is not registered', async () => {
    expect((await workflow.receive(new Request(URL_OF_N8N, { method: 'POST', body: '{}' }))).status).toBe(
      503,
    );
  });

  it('starts the workflow once for an event that arrives twice, unless configured otherwise', async () => {
    await workflow.activate();
    for (const id of ['evt_1', 'evt_2', 'evt_1']) await workflow.receive(await signed(event(id)));
    expect(workflow.started.map(({ id }) => id)).toEqual(['evt_1', 'evt_2']);
    workflow.parameters = { ...workflow.parameters, options: { dropDuplicates: false } };
    await workflow.receive(await signed(event('evt_1')));
    expect(workflow.started).toHaveLength(3);
  });

  it('is not a repeat if n8n could not start the workflow before', async () => {
    await workflow.activate();
    workflow.cannotStart = true;
    expect((await workflow.receive(await signed(event('evt_1')))).status).toBe(500);
    workflow.cannotStart = false;
    await workflow.receive(await signed(event('evt_1')));
    expect(workflow.started).toHaveLength(1);
  });

  it('is remembered for 5,000 more, and no longer', async () => {
    await workflow.activate();
    const ids = Array.from({ length: 5_000 }, (_, index) => `evt_${index}`);
    const response = { statusCode: 200, writableFinished: true, once: () => undefined };
    await workflow.receive(await signed(event('evt_first')));
    for (const id of ids.slice(1)) isNewEvent('wh_other', id, response);
    await workflow.receive(await signed(event('evt_first')));
    expect(workflow.started).toHaveLength(1);
    isNewEvent('wh_other', 'evt_0', response);
    await workflow.receive(await signed(event('evt_first')));
    expect(workflow.started).toHaveLength(2);
  });

  it('starts nothing with an event or an instance that is not chosen', async () => {
    await workflow.activate();
    workflow.parameters = { ...workflow.parameters, options: { instances: ['ins_1'] } };
    const { id = '' } = (await endpoints())[0] ?? {};
    await service().trunkline.workspace.webhooks.test(id);
    await eventually(async () => {
      const [tested] = await endpoints();
      expect(tested?.last_delivery).toMatchObject({ status: 'success', response_status: 200 });
    });
    await workflow.receive(await signed(event('evt_1', { message: { instance_id: 'ins_2' } })));
    await workflow.receive(await signed(event('evt_2', { instance: { id: 'ins_2' } })));
    expect(workflow.started).toEqual([]);
    await workflow.receive(await signed(event('evt_3', { instance: { id: 'ins_1' } })));
    await workflow.receive(await signed(event('evt_4', { undecryptable: { instance_id: 'ins_1' } })));
    expect(workflow.started.map(({ id: started }) => started)).toEqual(['evt_3', 'evt_4']);
  });
});

it('the trigger offers every event that an endpoint can have', () => {
  const [events] = new TrunklineTrigger().description.properties;
  const values = (events?.options ?? []).map((option) => ('value' in option ? option.value : undefined));
  expect(new Set(values)).toEqual(new Set([...SUBSCRIBABLE_EVENT_TYPES, ...OPT_IN_EVENT_TYPES]));
});
