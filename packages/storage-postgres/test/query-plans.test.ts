import { expect, it } from 'vitest';
import { floorId } from '@trunkline/core/spi/storage';
import type { ClaimedDelivery, Endpoint, Lease } from '@trunkline/core/spi/storage';
import {
  aHistoryEntry,
  anAction,
  anActivity,
  aMessage,
  anEndpoint,
  anEvent,
  anIdempotencyRecord,
  anInboundMessage,
  anInstance,
  DAY,
  NOW,
  testId,
} from '@trunkline/storage-contract/examples';
import {
  claimAt,
  claimEvents,
  failed,
  failing,
  QUEUE_FAILURE,
  sending,
  completed,
  editingInPlace,
  storeSubscription,
  succeeded,
  takeLease,
} from '@trunkline/storage-contract/fixtures';
import { must } from '@trunkline/test-support';
import { analyze, DAYS, storeBacklog } from './support/backlog.ts';
import { explainedPool } from './support/explained-pool.ts';
import type { Explained } from './support/explained-pool.ts';
import { openStorage, storeInstance, temporarySchema } from './support/open-storage.ts';

/**
 * The number of rows of each kind: messages, events, ended deliveries, open deliveries and so on. For more, set
 * `QUERY_PLAN_ROWS=1000000`.
 */
const ROWS = Number(process.env['QUERY_PLAN_ROWS'] ?? 30_000);

/**
 * The maximum number of rows that a part of a plan may read: far fewer than there are, and a few times the size of a
 * page or claim.
 */
const MAY_READ = 2_000;

/** Tables that hold history, or all open work. */
const GROWING =
  /^(messages|events|event_log|deliveries|open_deliveries|attempts|queued_|held_|scheduled_|idempotency|pending_|activity_|message_|instance_|chats|chat_|unfiled_|search_entries|search_tokens|spent_|webhook_|workspace_)/;

/** The place at which `shortenWaits` begins with the events. */
const EVENTS_BEGIN = JSON.stringify({
  eventsAfter: ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
});

/** The largest page that can be asked for. */
const FIRST = { from: null, limit: 100 };

it('nothing that is asked reads, or sorts, more than its response takes', { timeout: 900_000 }, async () => {
  const fixture = await openBacklog();
  const { explained } = fixture;
  // The first claim recomputes all lanes, which must not count here.
  await fixture.storage.deliveries.claim(claimAt(NOW, { limit: 1 }));
  explained.length = 0;

  await deliver(fixture);
  await sendMessages(fixture);
  await downloadFiles(fixture);
  await recordActivities(fixture);
  await actOnMessages(fixture);
  await spendTokens(fixture);
  await handleEvents(fixture);
  await readMessages(fixture);
  await changeInstances(fixture);
  await readChats(fixture);
  for (const endpointId of [fixture.busy.id, fixture.idle.id]) await readDeliveries(fixture, endpointId);
  await retryDeliveries(fixture);
  await readEvents(fixture);
  await readWorkload(fixture);
  await countTraffic(fixture);
  await closeEndpoint(fixture);
  await deleteWhatIsOld(fixture);

  expect(explained.length).toBeGreaterThan(200);
  expect(explained.filter(({ rows }) => rows > MAY_READ)).toEqual([]);
  expect(explained.filter(({ scanned }) => scanned.some((table) => GROWING.test(table)))).toEqual([]);
});

it('a claim and its completion compare no rows each with each, where the planner expects hardly any', async () => {
  const schema = await temporarySchema();
  const explained: Explained[] = [];
  const storage = await openStorage(schema, { notifications: false });
  const { workspace } = await storeInstance(storage);
  const endpoints = Array.from({ length: 400 }, () => anEndpoint(workspace));
  for (const endpoint of endpoints) await storage.endpoints.insert(endpoint, 1000);
  const enqueue = async (endpoint: Endpoint): Promise<unknown> =>
    storage.deliveries.enqueue(endpoint.id, anEvent(workspace, NOW));
  await enqueue(must(endpoints[0]));
  await analyze(schema);
  await Promise.all([...endpoints, ...endpoints].map(enqueue));

  const watched = await openStorage(schema, {
    pool: explainedPool(schema.url, explained),
    notifications: false,
  });
  for (const outcomeOf of [succeeded, failed]) {
    const { claimed } = await watched.deliveries.claim(claimAt(NOW, { limit: 400 }));
    expect(claimed).toHaveLength(400);
    const outcomes = claimed.map((one) => outcomeOf(one, NOW));
    const { completed } = await watched.deliveries.completeAndClaim(outcomes, claimAt(NOW, { limit: 1 }));
    expect(new Set(completed)).toEqual(new Set(['written']));
  }

  expect(explained.length).toBeGreaterThan(10);
  expect(explained.filter(({ compared }) => compared > MAY_READ)).toEqual([]);
});

it('the deliveries of an event are read without those that were made around them', async () => {
  const schema = await temporarySchema();
  const explained: Explained[] = [];
  const storage = await openStorage(schema, {
    pool: explainedPool(schema.url, explained),
    notifications: false,
  });
  const { workspace } = await storeInstance(storage);
  const endpoints = [anEndpoint(workspace), anEndpoint(workspace)];
  for (const endpoint of endpoints) await storage.endpoints.insert(endpoint, 1000);
  const unwatched = await openStorage(schema, { notifications: false });
  const events = Array.from({ length: 500 }, (_, index) => anEvent(workspace, NOW + index));
  await Promise.all(
    events.flatMap((event) => endpoints.map(({ id }) => unwatched.deliveries.enqueue(id, event))),
  );
  await analyze(schema);

  explained.length = 0;
  const event = must(events[250]);
  expect(await storage.deliveries.listOfEvent(workspace.id, event, 0)).toHaveLength(2);
  expect(explained.length).toBeGreaterThan(0);
  expect(await storage.erasure.deleteEvents(workspace.id, [event.id])).toBe(1);
  expect(await storage.deliveries.listOfEvent(workspace.id, event, 0)).toEqual([]);
  const ofDeliveries = explained.filter(({ sql }) => /open_deliveries AS open /.test(sql));
  expect(ofDeliveries.length).toBeGreaterThan(0);
  expect(ofDeliveries.filter(({ rows }) => rows > 10)).toEqual([]);
});

type Fixture = Awaited<ReturnType<typeof openBacklog>>;

async function openBacklog() {
  const schema = await temporarySchema();
  const explained: Explained[] = [];
  const pool = explainedPool(schema.url, explained);
  const storage = await openStorage(schema, { pool, notifications: false });
  for (let day = DAYS; day >= 0; day -= 4) await storage.maintain?.(NOW - day * DAY);
  const { workspace, instance } = await storeInstance(storage);
  const subscription = await storeSubscription(storage);
  const endpoints = Array.from({ length: 100 }, () => anEndpoint(workspace));
  // An endpoint without deliveries, because a plan made for all endpoints may be wrong for the one with the fewest
  // rows.
  const idle = anEndpoint(workspace);
  for (const endpoint of [...endpoints, idle]) await storage.endpoints.insert(endpoint, 1000);
  const discussed = testId('msg', NOW);
  await storeBacklog(schema, { instance, endpoints, subscription, discussed, count: ROWS });
  return {
    schema,
    storage,
    /** For bulk writes, whose plans are not recorded. */
    unwatched: await openStorage(schema, { notifications: false }),
    explained,
    workspace,
    instance,
    subscription,
    discussed,
    busy: must(endpoints[0]),
    idle,
  };
}

async function deliver({ storage, workspace, busy }: Fixture): Promise<void> {
  const { deliveries } = storage;
  const claimed: ClaimedDelivery[] = [];
  for (let pass = 1; pass <= 3; pass += 1) {
    const claim = await deliveries.claim(claimAt(NOW + pass, { limit: 128, leaseMs: 10 }));
    claimed.push(...claim.claimed);
  }
  expect(claimed.length).toBeGreaterThan(100);
  const outcomes = claimed.map((one, index) =>
    index % 2 === 0 ? succeeded(one, NOW + 5) : failed(one, NOW + 5),
  );
  expect(await deliveries.complete(outcomes.slice(0, 100), NOW + 5)).toBe(100);
  // The other claims have expired, so this claim takes their deliveries back.
  await deliveries.claim(claimAt(NOW + 3 * DAY, { limit: 500 }));
  const late = await deliveries.completeAndClaim(outcomes.slice(100), claimAt(NOW + 3 * DAY));
  expect(new Set(late.completed)).toEqual(new Set(['claim_lost']));
  for (const start of [null, EVENTS_BEGIN]) {
    let after: string | null = start;
    for (let step = 1; step <= 3; step += 1)
      after = await storage.shortenWaits({ now: NOW - DAY, after, limit: 100, leaseMs: 60_000 });
  }
  await deliveries.enqueue(busy.id, anEvent(workspace));
}

async function scheduleMessages({ storage, workspace, instance }: Fixture, lease: Lease): Promise<void> {
  const { messages, schedule } = storage;
  const [first, last] = [
    aMessage(instance, { sendAt: NOW - 2 * DAYS * DAY }),
    aMessage(instance, { sendAt: NOW }),
  ];
  for (const message of [first, last]) {
    const acceptance = { message, idempotency: null, backlogLimit: 1, trialLimit: null, isScheduled: true };
    expect(await messages.accept(acceptance)).toEqual({ kind: 'accepted' });
  }
  for (const filter of [{}, { instanceId: instance.id }])
    for (const from of [null, { direction: 'older', id: floorId('msg', NOW) } as const])
      await schedule.list(workspace.id, filter, { from, limit: 100 });
  expect(await schedule.cancel(failing(last))).toBe('changed');
  // Queues the first message, and fails the others, which have no sender.
  await schedule.release(NOW - DAY, QUEUE_FAILURE);
  expect(await schedule.fail(lease, workspace.id, QUEUE_FAILURE)).toBeGreaterThan(10);
}

async function sendMessages(fixture: Fixture): Promise<void> {
  const { storage, workspace, instance } = fixture;
  const { messages } = storage;
  const message = aMessage(instance);
  const idempotency = anIdempotencyRecord(message);
  const acceptance = { message, idempotency, backlogLimit: 10 * ROWS, trialLimit: 10 };
  expect(await messages.accept(acceptance)).toEqual({ kind: 'accepted' });
  await messages.findIdempotencyRecord(workspace.id, idempotency.key);

  const lease = await takeLease(storage, instance);
  const [head] = await messages.queueHeads([instance.id], NOW);
  const first = must(head).message;
  await messages.postpone(lease, { messageId: first.id, tries: 1, dueAt: NOW });
  expect(await messages.change(lease, sending(first))).toBe('changed');
  await holdMessages(fixture, lease);
  await scheduleMessages(fixture, lease);
  await messages.findOutbound(instance.id, first.networkId);
  await messages.findByNetworkId(instance.id, first.networkId);
  await messages.findQuotable(instance.id, first.id);
  const received = anInboundMessage(instance);
  const report = { networkId: 'them', aliases: ['also them'], phoneNumber: null, name: null, username: null };
  const save = { lease, workspaceId: workspace.id, report, now: NOW };
  const contact = await storage.contacts.save(save);
  if (contact === 'fenced') throw new Error('The lease has ended.');
  expect(await storage.contacts.save(save)).toEqual(contact);
  await storage.contacts.find(workspace.id, instance.id, contact.id);
  await storage.contacts.find(workspace.id, null, contact.id);
  await messages.hasInbound(instance.id, received.networkId, 'them', contact);
  const arrival = { message: received, senderId: 'them', contact, event: anEvent(workspace) };
  expect(await messages.receive(lease, arrival)).toBe('received');
}

async function downloadFiles({ storage, workspace, instance }: Fixture): Promise<void> {
  const { downloads, messages, uploads } = storage;
  const lease = await takeLease(storage, instance, { owner: 'downloader', now: NOW + 60_000 });
  const [waiting, removed] = await downloads.list(instance.id, { after: null, limit: 2 });
  const message = must(await messages.find(workspace.id, must(waiting).messageId));
  const { id } = message;
  for (let call = 1; call <= 7; call += 1) {
    // From its sixth execution on, a prepared statement may get a generic plan, which ignores its parameters.
    expect(await downloads.listNext([instance.id, anInstance(workspace).id], 20)).toHaveLength(20);
    expect(await downloads.isFull(instance.id, 1_000)).toBe(true);
    expect(await downloads.listExpired(NOW + 2 * DAY, 100)).toHaveLength(100);
    expect(await downloads.list(instance.id, { after: id, limit: 100 })).toHaveLength(100);
    await downloads.postpone(lease, { messageId: id, tries: call, dueAt: NOW });
  }
  await downloads.replace(
    instance.id,
    new Map([[id, { from: must(waiting).sealedReference, to: Uint8Array.of(1) }]]),
  );
  await uploads.reserve(id, NOW);
  await uploads.reserveUnknown([id, testId('upl', NOW)], NOW);
  const media = { available: true, mimeType: 'image/png', size: 1, filename: 'a.png', sha256: 'ab' };
  const completion = { message: { ...message, media }, event: anEvent(workspace) };
  expect(await downloads.complete(lease, completion)).toBe('completed');
  expect(await downloads.remove(instance.id, must(removed).messageId)).toBe(true);
}

async function holdMessages(
  { storage: { instances, messages }, instance }: Fixture,
  lease: Lease,
): Promise<void> {
  for (let count = 1; count <= 7; count += 1) {
    const [next, due] = await messages.queueHeads([instance.id], NOW);
    const { message } = must(next);
    const place = { messageId: message.id, tries: 0, dueAt: NOW };
    await messages.postpone(lease, { ...place, heldSince: NOW });
    expect(await messages.isPaced(instance.id, message.id)).toBe(true);
    const people = { numbers: ['15550199'], contactIds: [testId('con', NOW)] };
    await messages.releasePaced(instance.id, { people, now: NOW });
    await messages.releasePaced(instance.id, { people: null, now: NOW });
    expect(await instances.admitNewPerson(lease, { from: NOW, limit: 7 })).toBe('admitted');
    await messages.postpone(lease, place);
    if (due) expect(await messages.change(lease, sending(due.message))).toBe('changed');
  }
}

async function spendTokens({ storage: { spentTokens } }: Fixture): Promise<void> {
  for (let round = 1; round <= 7; round += 1) {
    expect(await spentTokens.spend(`round ${round}`, NOW)).toBe(true);
    expect(await spentTokens.isSpent(`token ${2_400 + round}`)).toBe(true);
    expect(await spentTokens.deleteExpired(500 * round, 100)).toBe(100);
  }
}

async function countTraffic({ storage: { traffic }, workspace, instance, busy }: Fixture): Promise<void> {
  const objects = { instance, webhook: busy, workspace };
  for (const kind of ['instance', 'webhook', 'workspace'] as const) {
    const { id } = objects[kind];
    for (let round = 1; round <= 7; round += 1) {
      const quarter = NOW + round * 900_000;
      await traffic.add([{ kind, id, quarter, counts: { sent: 1 } }]);
      expect(
        await traffic.read(workspace.id, { kind, ids: [id], from: quarter, to: quarter + 1 }),
      ).toHaveLength(1);
      expect(await traffic.deleteBefore(1_000 * round, 10)).toBe(10);
    }
  }
}

async function recordActivities({ storage, workspace, instance }: Fixture): Promise<void> {
  const { activities, messages } = storage;
  const lease = await takeLease(storage, instance, { owner: 'recorder', now: NOW + 120_000 });
  const call = anEvent(workspace, NOW, { type: 'call.received' });
  expect(await activities.record(lease, anActivity(call, { key: 'key', recordedAt: NOW }))).toBe('recorded');
  const message = anInboundMessage(instance);
  await messages.receive(lease, { message, senderId: 'them', contact: null, event: anEvent(workspace) });
  for (let round = 1; round <= 7; round += 1) {
    const before = await messages.find(workspace.id, message.id);
    const edited = { ...message, text: `edit ${round}`, editedAt: round };
    const change = { message: edited, expected: must(before) };
    const edit = anActivity(anEvent(workspace), { key: `edit ${round}`, change });
    expect(await activities.record(lease, edit)).toBe('recorded');
    const echo = { message: aMessage(instance), event: anEvent(workspace), download: null };
    expect(await activities.recordEcho(lease, echo)).toBe('recorded');
    expect(await activities.deleteKeys(500 * round, 100)).toBe(100);
  }
  const before = must(await messages.find(workspace.id, message.id));
  const change = { message: { ...before, text: null, deletedAt: NOW }, expected: before };
  expect(await activities.record(lease, anActivity(anEvent(workspace), { key: null, change }))).toBe(
    'recorded',
  );
}

async function actOnMessages({ storage, workspace, instance }: Fixture): Promise<void> {
  const { actions, messages } = storage;
  const lease = await takeLease(storage, instance, { owner: 'actor', now: NOW + 180_000 });
  const message = anInboundMessage(instance);
  await messages.receive(lease, { message, senderId: 'them', contact: null, event: anEvent(workspace) });
  for (let round = 1; round <= 7; round += 1) {
    const action = anAction(message, { recipient: `round ${round}` });
    const idempotency = { key: `round ${round}`, fingerprint: 'f' };
    expect(await actions.accept({ action, idempotency, backlogLimit: 1e9, inPlace: null })).toEqual({
      kind: 'accepted',
    });
    expect(await actions.findByKey(workspace.id, idempotency.key)).not.toBeNull();
    expect((await actions.list(workspace.id, message.id, FIRST)).rows).toHaveLength(round);
    expect(await actions.listOnMessages(workspace.id, [message.id])).toHaveLength(round);
    await messages.queueHeads([instance.id], NOW, { limit: 16, withFiles: true });
    const sent = { ...action, status: 'sent', sentAt: NOW } as const;
    const marked = [message.id, testId('msg', NOW)];
    const outcome = { action: sent, events: [anEvent(workspace)], marked };
    expect(await actions.finish(lease, outcome)).toBe('finished');
  }
  const [next, behind] = [aMessage(instance), aMessage(instance, { createdAt: NOW + 1 })];
  const later = aMessage(instance, { sendAt: NOW + DAY });
  for (const one of [next, behind, later]) {
    const limits = { idempotency: null, backlogLimit: 1e9, trialLimit: null };
    await messages.accept({ message: one, ...limits, isScheduled: one.sendAt !== null });
  }
  for (const one of [behind, later])
    expect(await actions.accept(editingInPlace(one))).toEqual({ kind: 'edited_in_place' });
}

async function handleEvents({ storage, subscription }: Fixture): Promise<void> {
  const { subscriptions } = storage;
  const claimed = await claimEvents(storage, subscription, NOW);
  expect(claimed).toHaveLength(100);
  await subscriptions.renew(
    claimed.map(({ subscriptionId, event, token }) => ({ subscriptionId, eventId: event.id, token })),
    NOW + 60_000,
  );
  expect(await subscriptions.complete(claimed.map((one) => completed(one)))).toBe(100);
  await subscriptions.list(1000);
  for (let call = 1; call <= 7; call += 1) {
    const batch = { limit: 100, countUpTo: 1000, now: NOW };
    const result = await subscriptions.retryFailedEvents(subscription.name, batch);
    expect(result).toEqual({ requeued: 100, remaining: 1000 });
  }
}

async function readMessages({ storage: { messages }, workspace, instance }: Fixture): Promise<void> {
  for (const instanceId of [undefined, instance.id, anInstance(workspace).id]) {
    for (const filter of [
      {},
      { direction: 'inbound' } as const,
      { statuses: ['failed'] } as const,
      { type: 'video' } as const,
    ]) {
      const { rows } = await messages.list(
        workspace.id,
        instanceId ? { ...filter, instanceId } : filter,
        FIRST,
      );
      const last = rows.at(-1);
      for (const direction of last ? (['older', 'newer'] as const) : []) {
        const from = { direction, id: must(last).id };
        await messages.list(workspace.id, filter, { ...FIRST, from });
      }
    }
  }
}

async function readEvents(fixture: Fixture): Promise<void> {
  const {
    storage: { events },
    workspace,
    instance,
    discussed,
  } = fixture;
  const filters = [
    {},
    { instanceId: instance.id },
    { instanceId: instance.id, type: 'message.failed' },
    { instanceId: instance.id, type: 'call.received' },
    { instanceId: anInstance(workspace).id },
    { messageId: discussed },
    { messageId: testId('msg', NOW) },
  ] as const;
  for (const filter of filters) {
    for (const since of [0, NOW - 2 * DAY]) {
      const { rows } = await events.list(workspace.id, filter, FIRST, since);
      const last = rows.at(-1);
      for (const direction of last ? (['older', 'newer'] as const) : [])
        await events.list(workspace.id, filter, { ...FIRST, from: { direction, id: must(last).id } }, since);
    }
  }
  const anotherWorkspace = testId('ten', NOW);
  for (let day = 1; day <= 7; day += 1) {
    const after = floorId('evt', NOW - day * DAY);
    expect(await events.listAfter(workspace.id, after, 100)).toHaveLength(100);
    expect(await events.listAfter(anotherWorkspace, after, 100)).toEqual([]);
    const upTo = floorId('evt', NOW);
    expect(await events.listIds(workspace.id, { after, upTo }, 1_000)).toHaveLength(1_000);
    const [first] = await events.listAfter(workspace.id, after, 1);
    expect(await events.find(workspace.id, must(first).id, 0)).toEqual(first);
  }
}

async function readChats({ schema, storage, unwatched, workspace, instance }: Fixture): Promise<void> {
  const { chats, messages } = storage;
  for (let filed = 0; filed < ROWS - 6_000; filed += 1_000) await unwatched.chats.file?.(1_000);
  // PostgreSQL does this automatically when a table has grown.
  await analyze(schema);
  for (let call = 1; call <= 7; call += 1) {
    expect(await chats.file?.(500)).toMatchObject({ filed: 500, more: true });
    const { rows } = await chats.list(workspace.id, instance.id, FIRST);
    expect(rows).toHaveLength(100);
    const { lastMessage } = must(rows[call]);
    for (const direction of ['older', 'newer'] as const) {
      await chats.list(workspace.id, instance.id, { ...FIRST, from: { direction, id: lastMessage.id } });
    }
    const counterpart = { kind: 'number', digits: must(lastMessage.to) } as const;
    for (const filter of [{}, { statuses: ['failed'] } as const, { instanceId: instance.id }]) {
      await messages.list(workspace.id, { ...filter, counterpart }, FIRST);
      await messages.list(
        workspace.id,
        { ...filter, counterpart },
        {
          ...FIRST,
          from: { direction: 'newer', id: lastMessage.id },
        },
      );
    }
  }
  const few = { from: null, limit: 10 };
  for (const words of [['recipient'], ['recip', '12']]) {
    await messages.list(workspace.id, { words }, few);
    const from = { direction: 'newer', id: floorId('msg', NOW - 4 * DAY) } as const;
    await messages.list(workspace.id, { words, statuses: ['queued'] }, { ...few, from });
    const counterpart = { kind: 'number', digits: 'recipient 12' } as const;
    await messages.list(workspace.id, { counterpart, words }, few);
  }
}

async function readDeliveries(
  { storage: { deliveries }, workspace }: Fixture,
  endpointId: string,
): Promise<void> {
  for (const since of [0, NOW - 2 * DAY]) {
    for (const filter of [
      {},
      { status: 'failed' } as const,
      { status: 'retrying' } as const,
      { eventType: 'message.received' },
      { status: 'success', eventType: 'message.sent' } as const,
    ]) {
      const { rows } = await deliveries.list(workspace.id, endpointId, filter, FIRST, since);
      const last = rows.at(-1);
      for (const direction of last ? (['older', 'newer'] as const) : []) {
        const from = { direction, id: must(last).id };
        await deliveries.list(workspace.id, endpointId, filter, { ...FIRST, from }, since);
      }
    }
  }
}

async function retryDeliveries({ storage: { deliveries }, workspace, busy, idle }: Fixture): Promise<void> {
  const since = NOW - 30 * DAY;
  const { rows } = await deliveries.list(workspace.id, busy.id, { status: 'exhausted' }, FIRST, 0);
  const { id, eventId } = must(rows[0]);
  expect(await deliveries.listOfEvent(workspace.id, { id: eventId }, since)).toHaveLength(2);
  await deliveries.findDetail(workspace.id, id, since);
  expect((await deliveries.retry(workspace.id, id, NOW, since)).kind).toBe('requeued');
  await deliveries.findDetail(workspace.id, id, since);
  const batch = { limit: 100, countUpTo: 1000, now: NOW, since };
  for (let call = 1; call <= 7; call += 1) {
    const { requeued, remaining } = must(
      await deliveries.retryFailedDeliveries(workspace.id, busy.id, batch),
    );
    expect(requeued).toBe(100);
    expect(remaining).toBe(1000);
    expect(await deliveries.retryFailedDeliveries(workspace.id, idle.id, batch)).toEqual({
      requeued: 0,
      remaining: 0,
    });
  }
}

async function readWorkload({ storage: { workload }, workspace, instance }: Fixture): Promise<void> {
  for (const instanceId of [null, instance.id])
    await workload.queues(
      { workspaceId: workspace.id, instanceId },
      { now: NOW, countUpTo: 1_000, limit: 100 },
    );
  const limit = 1_000;
  for (let call = 1; call <= 7; call += 1) {
    expect(await workload.read({ now: NOW, limit })).toMatchObject({
      queuedMessages: limit,
      openDeliveries: limit,
      queuedEvents: limit,
      exhaustedEvents: limit,
      pendingDownloads: limit,
    });
  }
}

async function closeEndpoint(fixture: Fixture): Promise<void> {
  const { storage, workspace, busy } = fixture;
  const stored = must(await storage.endpoints.find(workspace.id, busy.id));
  await storage.endpoints.write({ endpoint: { ...stored, status: 'disabled' }, close: 'ENDPOINT_DISABLED' });
  await readDeliveries(fixture, busy.id);
  expect(await storage.deliveries.sweepClosed(500)).toBe(500);
  await storage.endpoints.delete(workspace.id, busy.id, NOW);
}

async function changeInstances({ storage, workspace, instance }: Fixture): Promise<void> {
  const { instances, history } = storage;
  const lease = await takeLease(storage, instance);
  const entry = aHistoryEntry(instance);
  const current = must(await instances.find(workspace.id, instance.id));
  expect((await instances.countIn([workspace.id])).get(workspace.id)).toBeGreaterThan(0);
  const changed = await instances.write({ instance: current, event: null, lease, entry });
  expect(changed.kind).toBe('written');
  await instances.note(lease, { ...entry, count: 2 });
  for (const id of [instance.id, anInstance(workspace).id]) {
    const { rows } = await history.list(workspace.id, id, FIRST, 0);
    const last = rows.at(-1);
    for (const direction of last ? (['older', 'newer'] as const) : []) {
      await history.list(workspace.id, id, { ...FIRST, from: { direction, id: must(last).id } }, 0);
    }
  }
  await instances.listDown({ before: NOW, latest: NOW, after: null, limit: 100 });
}

async function deleteWhatIsOld({ storage, subscription }: Fixture): Promise<void> {
  const { retention, subscriptions } = storage;
  await storage.maintain?.(NOW);
  const before = NOW - (DAYS - 1) * DAY;
  for (let pass = 0; pass < 3; pass += 1) expect(await retention.deleteHistory(before, 500)).toBe(500);
  await subscriptions.delete(subscription.name);
  expect(await retention.deleteHistory(before, 500)).toBe(500);
  expect(await retention.deleteIdempotencyRecords(before, 500)).toBe(500);
  expect(await retention.deleteInstanceHistory(before, 500)).toBe(500);
}
