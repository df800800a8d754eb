import { expect, it } from 'vitest';
import { idToUuid, newDelivery } from '@trunkline/core/spi/storage';
import type { Delivery, IdPrefix } from '@trunkline/core/spi/storage';
import { anEndpoint, anEvent, aWorkspace, NOW, testId } from '@trunkline/storage-contract/examples';
import { claim, claimAt, failed, idsOf, readDelivery } from '@trunkline/storage-contract/fixtures';
import { must, only } from '@trunkline/test-support';
import { makeEarlierSchema } from './support/earlier-schema.ts';
import type { EarlierSchema } from './support/earlier-schema.ts';
import { openStorage, temporarySchema } from './support/open-storage.ts';

/** The last schema that had a delivery, its place in the queue and its claim in a table each. */
const VERSION = 9;
const HOUR = 3_600_000;

it('what was claimed, cancelled or waited for its retry before an upgrade goes on after it', async () => {
  const schema = await temporarySchema();
  const { insert } = await makeEarlierSchema(schema, VERSION);
  const workspace = aWorkspace();
  const endpoint = anEndpoint(workspace);
  const endpointUuid = uuid('wh', endpoint.id);
  await insertEndpoint(insert, endpoint, 2);
  const made: Delivery[] = [];
  for (const [index, changes] of [{}, {}, {}, RETRYING].entries()) {
    const event = anEvent(workspace, NOW - 100 + index);
    const delivery = { ...newDelivery(event, endpoint.id, testId), ...changes };
    made.push(delivery);
    await insert('events', {
      id: uuid('evt', event.id),
      workspace_id: uuid('ten', workspace.id),
      type: event.type,
      occurred_at: event.occurredAt,
      payload: event.payload,
    });
    await insertDelivery(insert, delivery, index === 0 ? 1 : 2);
  }
  const [cancelled, claimed, waiting, retrying] = made.map(must) as [Delivery, Delivery, Delivery, Delivery]; // four
  await insert('closings', {
    endpoint_id: endpointUuid,
    generation: 1,
    reason: 'ENDPOINT_DISABLED',
    to_sweep: true,
  });
  const queue = (delivery: Delivery, generation: number, dueAt: number) =>
    insert('due', {
      endpoint_id: endpointUuid,
      generation,
      due_at: dueAt,
      delivery_id: uuid('whd', delivery.id),
      lost_claims: 0,
    });
  await queue(cancelled, 1, NOW - 100);
  await queue(waiting, 2, NOW - 100);
  await queue(retrying, 2, NOW + HOUR);
  await insert('attempts', {
    delivery_id: uuid('whd', retrying.id),
    number: 1,
    manual: false,
    url: 'https://example.com/before',
    response_status: 500,
    response_body: 'oops',
    duration_ms: 5,
    error_code: 'HTTP_ERROR',
    at: NOW - 50,
  });
  await insert('claims', {
    endpoint_id: endpointUuid,
    slot: 0,
    delivery_id: uuid('whd', claimed.id),
    generation: 2,
    lost_claims: 1,
    expires_at: NOW + 60_000,
  });

  const storage = await openStorage(schema);
  const ended = { ...cancelled, status: 'failed', errorCode: 'ENDPOINT_DISABLED' };
  const { rows } = await storage.deliveries.list(workspace.id, endpoint.id, {}, { from: null, limit: 10 }, 0);
  expect(rows).toEqual([retrying, waiting, claimed, ended]);
  // One of the two slots is held.
  expect(idsOf(await claim(storage, NOW))).toEqual([waiting.id]);
  const lost = only(await claim(storage, NOW + 60_000, { limit: 1 }));
  expect(lost).toMatchObject({ delivery: claimed, lostClaims: 2 });
  expect(await storage.deliveries.sweepClosed(10)).toBe(1);
  expect(await readDelivery(storage, cancelled)).toEqual(ended);

  const again = await storage.deliveries.claim(claimAt(NOW + HOUR, { slots: 9 }));
  const last = must(again.claimed.find(({ delivery }) => delivery.id === retrying.id));
  expect(await storage.deliveries.complete([failed(last, NOW + HOUR)], NOW + HOUR)).toBe(1);
  const detail = must(await storage.deliveries.findDetail(workspace.id, retrying.id, 0));
  expect(detail.attempts.map(({ number, url }) => [number, url])).toEqual([
    [1, 'https://example.com/before'],
    [2, endpoint.url],
  ]);
});

it('a process of the version before an upgrade that still runs is refused by what concerns webhooks, and changes nothing', async () => {
  const schema = await temporarySchema();
  const { run } = await makeEarlierSchema(schema, VERSION);
  const storage = await openStorage(schema);
  const delivery = newDelivery(anEvent(aWorkspace()), anEndpoint(aWorkspace()).id, testId);
  const { columns, values } = deliveryRow(delivery, 1);
  const ofBefore = [
    'SELECT (SELECT limits FROM trunkline.lane_limits)',
    `WITH made AS (
       INSERT INTO trunkline.deliveries (${columns.join()}) VALUES (${values.map(literal).join()})
       RETURNING id, webhook_id, generation, created_at
     )
     INSERT INTO trunkline.due (endpoint_id, generation, due_at, delivery_id, lost_claims)
     SELECT webhook_id, generation, created_at, id, 0 FROM made`,
    `DELETE FROM trunkline.claims
     USING unnest(ARRAY['${uuid('wh', delivery.endpointId)}'::uuid], ARRAY[1]) AS report (endpoint_id, token)
     WHERE claims.endpoint_id = report.endpoint_id AND claims.token = report.token`,
    'DELETE FROM trunkline.due WHERE endpoint_id IS NOT NULL',
  ];
  for (const sql of ofBefore) {
    await expect(run(sql), sql).rejects.toThrow(
      'this database was upgraded for a newer version of Trunkline: stop this process, and start that version',
    );
  }
  expect(await storage.deliveries.findDetail(delivery.workspaceId, delivery.id, 0)).toBeNull();
});

const RETRYING: Partial<Delivery> = {
  status: 'retrying',
  attempts: 1,
  nextRetryAt: NOW + HOUR,
  responseStatus: 500,
  errorCode: 'HTTP_ERROR',
  lastAttemptAt: NOW - 50,
};

function uuid(prefix: IdPrefix, id: string): string {
  return must(idToUuid(prefix, id));
}

async function insertEndpoint(
  insert: EarlierSchema['insert'],
  endpoint: ReturnType<typeof anEndpoint>,
  generation: number,
): Promise<void> {
  const id = uuid('wh', endpoint.id);
  await insert('endpoints', {
    id,
    workspace_id: uuid('ten', endpoint.workspaceId),
    url: endpoint.url,
    events: endpoint.events,
    status: endpoint.status,
    sealed_secret: endpoint.sealedSecret,
    secret_hint: endpoint.secretHint,
    exhausted: false,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
    version: endpoint.version,
    generation,
  });
  await insert('lanes', { endpoint_id: id, generation, wake_at: NOW - 100, is_full: false, ready_from: 0 });
}

async function insertDelivery(
  insert: EarlierSchema['insert'],
  delivery: Delivery,
  generation: number,
): Promise<void> {
  const { columns, values } = deliveryRow(delivery, generation);
  await insert('deliveries', Object.fromEntries(columns.map((column, index) => [column, values[index]])));
}

function deliveryRow(delivery: Delivery, generation: number) {
  const row = {
    id: uuid('whd', delivery.id),
    workspace_id: uuid('ten', delivery.workspaceId),
    webhook_id: uuid('wh', delivery.endpointId),
    event_id: uuid('evt', delivery.eventId),
    event_type: delivery.eventType,
    event_occurred_at: delivery.eventOccurredAt,
    generation,
    status: delivery.status,
    attempts: delivery.attempts,
    max_attempts: delivery.maxAttempts,
    manual: delivery.manual,
    next_retry_at: delivery.nextRetryAt,
    response_status: delivery.responseStatus,
    error_code: delivery.errorCode,
    last_attempt_at: delivery.lastAttemptAt,
    created_at: delivery.createdAt,
  };
  return { columns: Object.keys(row), values: Object.values(row) };
}

function literal(value: string | number | boolean | null): string {
  return value === null ? 'NULL' : `'${String(value)}'`;
}
