import { readFileSync } from 'node:fs';
import { SpanKind } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { ReadableSpan, TracerProviderOptions } from '@opentelemetry/sdk-trace';
import { REFUSED, TAKEN } from '@trunkline/core/testing';
import type { RecordingSender } from '@trunkline/core/testing';
import { SCOPES } from '@trunkline/core';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { must, stayingOpen } from '@trunkline/test-support';
import { expect, it } from 'vitest';
import { createHttpApp } from '../src/index.ts';
import { textOf } from './client.ts';
import type { Seen } from './client.ts';
import { startService } from './service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${SPAN}-01`;

async function tracedService(options: Omit<TracerProviderOptions, 'spanProcessors'> = {}) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  const tracerProvider = new TracerProvider({ ...options, spanProcessors });
  const storage = stayingOpen(sqliteStorage({ path: ':memory:' }));
  const service = await startService({ tracerProvider, storage });
  const { trunkline, clock } = service;
  const { id, call } = await service.newWorkspace();
  const { token } = await trunkline.admin.apiKeys.create({
    workspaceId: id,
    name: 'ci',
    scopes: [...SCOPES],
  });
  const instance = await service.connected(call);
  await trunkline
    .workspace(id)
    .webhooks.create({ url: 'https://hooks.example.com/', events: ['message.sent'] });
  await clock.settle();
  exporter.reset();
  const app = createHttpApp(trunkline, { tracerProvider });
  const send = (headers: Readonly<Record<string, string>>, to = '15550199') =>
    app.request('/api/v1/messages', {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ instance, to, type: 'text', text: 'a secret of somebody' }),
    });
  return { ...service, exporter, workspace: id, instance, send, spans: () => exporter.getFinishedSpans() };
}

function spanOf(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  return must(spans.find((span) => span.name === name));
}

function position(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}

/** The requests sent to a URL, and the requests sent elsewhere. */
function requestsTo(wanted: string, { requests }: RecordingSender) {
  return [
    requests.filter(({ url }) => url === wanted),
    requests.filter(({ url }) => url !== wanted),
  ] as const;
}

function linksOf({ links }: ReadableSpan) {
  return links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId }));
}

it('a message is traced from its request to the webhook, hours later too, by links', async () => {
  const { clock, receivers, send, spans } = await tracedService();
  receivers.respond(() => REFUSED);
  expect((await send({ traceparent: SAMPLED })).status).toBe(202);
  await clock.advance(1_000);
  receivers.respond(() => TAKEN);
  await clock.advance(3 * 3_600_000);

  const request = spanOf(spans(), 'POST /api/v1/messages');
  expect(request).toMatchObject({
    kind: SpanKind.SERVER,
    parentSpanContext: { traceId: TRACE, spanId: SPAN },
    attributes: { 'http.route': '/api/v1/messages', 'http.response.status_code': 202 },
  });
  const created = spanOf(spans(), 'create message');
  expect(created).toMatchObject({ kind: SpanKind.PRODUCER, parentSpanContext: position(request) });
  const sent = spanOf(spans(), 'send message');
  expect(linksOf(sent)).toEqual([position(created)]);
  expect(sent.spanContext().traceId).not.toBe(TRACE);
  const deliveries = spans().filter(({ name }) => name === 'deliver event');
  expect(deliveries.map(linksOf)).toEqual([[position(created)], [position(created)]]);
  expect(
    deliveries.map(({ attributes }) => [attributes['trunkline.attempt'], attributes['error.type']]),
  ).toEqual([
    [1, 'HTTP_ERROR'],
    [2, undefined],
  ]);
  expect(deliveries[1]?.attributes).toMatchObject({
    'messaging.system': 'trunkline',
    'server.address': 'hooks.example.com',
    'trunkline.event.type': 'message.sent',
    'http.response.status_code': 200,
  });
  const said = JSON.stringify(spans().map(({ name, attributes, events }) => ({ name, attributes, events })));
  expect(said).not.toMatch(/15550199|15550100|a secret of somebody/);

  const page = readFileSync(new URL('../../../docs/monitoring.md', import.meta.url), 'utf8');
  const [, picture = ''] = /<!-- traces of one message -->\n\n```mermaid\n(.*?)```/s.exec(page) ?? [];
  expect(picture).toBe(pictureOf(spans()));
});

it('each request to an endpoint with trace_context says which trace its attempt is, and no other does', async () => {
  const { trunkline, clock, receivers, workspace, send, spans } = await tracedService();
  const { webhooks } = trunkline.workspace(workspace);
  const url = 'https://traced.example.com/';
  await webhooks.create({ url, events: ['message.sent'], trace_context: true });
  receivers.respond(() => REFUSED);
  await send({ traceparent: SAMPLED });
  await clock.advance(1_000);
  receivers.respond(() => TAKEN);
  await clock.advance(3 * 3_600_000);

  const attempts = spans().filter(({ attributes }) => attributes['server.address'] === 'traced.example.com');
  const [traced, others] = requestsTo(url, receivers);
  expect(attempts).toHaveLength(2);
  expect(traced.map(({ headers }) => headers.get('traceparent'))).toEqual(
    attempts.map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`),
  );
  expect(others.map(({ headers }) => headers.has('traceparent'))).toEqual([false, false]);
  // The other headers are the same with and without a trace.
  const names = [...must(others[0]).headers.keys()];
  expect(traced.map(({ headers }) => [...headers.keys()])).toEqual(
    traced.map(() => [...names, 'traceparent']),
  );
});

it('if no attempt is recorded, its request has the traceparent of its event, if any', async () => {
  const service = await startService();
  const { id, call } = await service.newWorkspace();
  const { messages, webhooks } = service.trunkline.workspace(id);
  const instance = await service.connected(call);
  const url = 'https://traced.example.com/';
  const webhook = await webhooks.create({ url, events: ['message.sent'], trace_context: true });
  const send = async (traceparent?: string): Promise<string | undefined> => {
    await messages.send({ instance, to: '15550199', type: 'text', text: 'Hello' }, { traceparent });
    await service.clock.advance(60_000);
    return must(service.receivers.requests.at(-1)).headers.get('traceparent');
  };
  expect(await send(SAMPLED)).toBe(SAMPLED);
  expect(await send(`00-${TRACE}-${SPAN}-00`)).toBeUndefined();
  expect(await send()).toBeUndefined();
  await webhooks.update(webhook.id, { description: 'Orders' });
  expect(await send(SAMPLED)).toBe(SAMPLED);
  await webhooks.update(webhook.id, { trace_context: false });
  expect(await send(SAMPLED)).toBeUndefined();
  expect(service.receivers.requests).toHaveLength(5);
});

it('a handler in process is traced with a link to the request', async () => {
  const { trunkline, clock, send, spans } = await tracedService();
  await clock.settle();
  const handled: string[] = [];
  await trunkline.stop().catch(() => undefined);
  trunkline.on(['message.sent'], ({ type }) => void handled.push(type), { name: 'orders' });
  await trunkline.start();
  await clock.advance(60_000);
  await send({ traceparent: SAMPLED });
  await clock.advance(60_000);
  expect(handled).toEqual(['message.sent']);
  expect(spanOf(spans(), 'process event')).toMatchObject({
    kind: SpanKind.CONSUMER,
    attributes: { 'messaging.consumer.group.name': 'orders', 'trunkline.attempt': 1 },
  });
  expect(linksOf(spanOf(spans(), 'process event'))).toEqual([position(spanOf(spans(), 'create message'))]);
});

it('an inbound message is traced, and its webhook links to it', async () => {
  const { clock, sandbox, instance, trunkline, spans } = await tracedService();
  const [workspace] = await trunkline.admin.workspaces.list();
  const { webhooks } = trunkline.workspace(must(workspace).id);
  await webhooks.create({ url: 'https://inbound.example.com/', events: ['message.received'] });
  await sandbox.phone(instance).receive({ from: '15550199', text: 'a secret of somebody' });
  await clock.advance(1_000);
  const received = spanOf(spans(), 'receive message');
  expect(linksOf(spanOf(spans(), 'deliver event'))).toEqual([position(received)]);
});

it('a request that is not recorded is not: nothing links to it, and nothing is stored', async () => {
  const sampler = new ParentBasedSampler({ root: new AlwaysOffSampler() });
  const { clock, send, spans } = await tracedService({ sampler });
  expect((await send({ traceparent: `00-${TRACE}-${SPAN}-00` })).status).toBe(202);
  await clock.advance(60_000);
  expect(spans()).toEqual([]);
});

it('a refused request ends its spans with the code', async () => {
  const { send, spans } = await tracedService();
  expect((await send({}, 'nobody')).status).toBe(422);
  expect(spanOf(spans(), 'create message').attributes).toMatchObject({ 'error.type': 'INVALID_RECIPIENT' });
  expect(spanOf(spans(), 'POST /api/v1/messages').attributes).toMatchObject({
    'http.response.status_code': 422,
  });
});

it.for([
  ['capitals', SAMPLED.toUpperCase()],
  ['zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['several in one header', `${SAMPLED},${SAMPLED}`],
  ['60 KB', `01-${TRACE}-${SPAN}-01-${'x'.repeat(60_000)}`],
  ['SQL', "00-'); DROP TABLE messages; --"],
] as const)('a traceparent of %s is ignored, and the message is sent', async ([, traceparent]) => {
  const { clock, send, spans } = await tracedService();
  const tracestate = `hostile=${'y'.repeat(60_000)},=,;`;
  expect((await send({ traceparent, tracestate })).status).toBe(202);
  await clock.advance(1_000);
  const request = spanOf(spans(), 'POST /api/v1/messages');
  expect(request.parentSpanContext).toBeUndefined();
  expect(request.spanContext().traceState).toBeUndefined();
  expect(linksOf(spanOf(spans(), 'send message'))).toEqual([position(spanOf(spans(), 'create message'))]);
});

it("nothing is traced without an SDK, and the message keeps its caller's traceparent", async () => {
  const storage = sqliteStorage({ path: ':memory:' });
  const service = await startService({ storage });
  const { id, call } = await service.newWorkspace();
  const instance = await service.connected(call);
  const json = { instance, to: '15550199', type: 'text', text: 'Hello' };
  const traced = await call('POST', '/messages', { json, headers: { traceparent: SAMPLED } });
  const untraced = await call('POST', '/messages', { json });
  const kept = async ({ json: { data } }: Seen) =>
    (await storage.messages.find(id, textOf(data?.id)))?.traceparent;
  expect([await kept(traced), await kept(untraced)]).toEqual([SAMPLED, null]);
});

/**
 * Draws the traces of some spans in Mermaid: a solid line from a span to each child, a dotted line to each linked span.
 */
function pictureOf(spans: readonly ReadableSpan[]): string {
  const inOrder = spans.toSorted((a, b) => byTime(a, b));
  const letters = new Map(inOrder.map((span, index) => [span.spanContext().spanId, `s${index + 1}`]));
  const letter = (spanId: string): string => letters.get(spanId) ?? 'caller';
  const lines = ['flowchart LR', "  caller([the caller's span])"];
  for (const [index, [, trace]] of [
    ...Map.groupBy(inOrder, (span) => span.spanContext().traceId),
  ].entries()) {
    lines.push(`  subgraph trace${index + 1}[trace ${index + 1}]`);
    for (const span of trace) lines.push(`    ${letter(span.spanContext().spanId)}["${labelOf(span)}"]`);
    lines.push('  end');
  }
  for (const span of inOrder) {
    const { parentSpanContext, links } = span;
    const own = letter(span.spanContext().spanId);
    if (parentSpanContext) lines.push(`  ${letter(parentSpanContext.spanId)} --> ${own}`);
    for (const { context } of links) lines.push(`  ${own} -. links to .-> ${letter(context.spanId)}`);
  }
  return `${lines.join('\n')}\n`;
}

function labelOf({ name, attributes }: ReadableSpan): string {
  const attempt = name === 'deliver event' ? `, attempt ${String(attributes['trunkline.attempt'])}` : '';
  return `${name}${attempt}`;
}

function byTime(a: ReadableSpan, b: ReadableSpan): number {
  return a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
}
