import { expect } from 'vitest';
import { idToUuid } from '@trunkline/core/spi/storage';
import type { IdPrefix } from '@trunkline/core/spi/storage';
import {
  describeUpgrade,
  KINDS,
  payloadOf,
  PEOPLE,
  PERSON_PREFIX,
} from '@trunkline/storage-contract/upgrade';
import type { EarlierData } from '@trunkline/storage-contract/upgrade';
import { must } from '@trunkline/test-support';
import { startChild } from '@trunkline/test-support/start-child';
import { postgresStorage } from '../src/index.ts';
import { MIGRATIONS } from '../src/migrations/migrate.ts';
import { makeEarlierSchema } from './support/earlier-schema.ts';
import type { EarlierSchema } from './support/earlier-schema.ts';
import { temporarySchema } from './support/open-storage.ts';
import type { TestSchema } from './support/test-schema.ts';

describeUpgrade({
  name: 'PostgreSQL',
  schemas: [
    ['21 November 2026', 3],
    ['the morning after', 9],
  ],
  async newDatabase() {
    const schema = await temporarySchema();
    return {
      newStorage: () => postgresStorage({ connectionString: schema.url, schema: schema.name }),
      makeEarlier: (version, data) => makeEarlier(schema, version, data),
      startOpening: () =>
        startChild(new URL('support/programs/open.ts', import.meta.url), schema.url, schema.name),
      async expectCurrent() {
        const { rows } = await schema.pool.query(
          `SELECT max(version) AS version FROM ${schema.name}.schema_versions`,
        );
        expect(rows).toEqual([{ version: MIGRATIONS.length }]);
      },
    };
  },
});

async function makeEarlier(schema: TestSchema, version: number, data: EarlierData): Promise<void> {
  const { run, insert } = await makeEarlierSchema(schema, version);
  await insertLiveRows(insert, data);
  for (const statement of history(data)) await run(statement);
  await run('ANALYZE trunkline.messages');
}

function uuid(prefix: IdPrefix, id: string): string {
  return must(idToUuid(prefix, id));
}

async function insertLiveRows(
  insert: EarlierSchema['insert'],
  { workspace, instance, session, endpoints, since, queued, messages }: EarlierData,
): Promise<void> {
  const workspaceId = uuid('ten', workspace.id);
  const instanceId = uuid('ins', instance.id);
  await insert('workspaces', {
    id: workspaceId,
    name: workspace.name,
    plan: JSON.stringify(workspace.plan),
    trial_messages_used: 0,
    created_at: workspace.createdAt,
  });
  await insert('instances', {
    id: instanceId,
    workspace_id: workspaceId,
    name: instance.name,
    status: instance.status,
    desired: instance.desired,
    phone_number: instance.phoneNumber,
    connected_at: instance.connectedAt,
    created_at: instance.createdAt,
    updated_at: instance.updatedAt,
    version: instance.version,
  });
  await insert('queues', {
    instance_id: instanceId,
    workspace_id: workspaceId,
    is_connected: true,
    length: queued,
    next_position: messages + 1,
  });
  for (const [name, value] of session)
    await insert('session_values', { instance_id: instanceId, name, value });
  for (const endpoint of endpoints) {
    const id = uuid('wh', endpoint.id);
    await insert('endpoints', {
      id,
      workspace_id: workspaceId,
      url: endpoint.url,
      events: endpoint.events,
      status: endpoint.status,
      sealed_secret: endpoint.sealedSecret,
      secret_hint: endpoint.secretHint,
      exhausted: false,
      created_at: endpoint.createdAt,
      updated_at: endpoint.updatedAt,
      version: endpoint.version,
      generation: 1,
    });
    await insert('lanes', { endpoint_id: id, generation: 1, wake_at: since, is_full: false, ready_from: 0 });
  }
}

/** In the database itself: row by row it would take too long. The ids are those of `idOfRow`. */
function history(data: EarlierData): readonly string[] {
  const { workspace, instance, endpoints, messages, deliveries, open, queued, keys, since, now } = data;
  const madeOf = (rows: number): string =>
    `(${since} + row * ${Math.floor((now - since) / (rows + 1))}::bigint)`;
  const idOf = (prefix: keyof typeof KINDS, rows: number): string =>
    `(lpad(to_hex(${madeOf(rows)}), 12, '0') || '7' || lpad(to_hex(row % 4096), 3, '0')
      || '8${KINDS[prefix]}' || lpad(to_hex(row), 14, '0'))::uuid`;
  const [workspaceId, instanceId] = [uuid('ten', workspace.id), uuid('ins', instance.id)];
  const [message, messageMade] = [idOf('msg', messages), madeOf(messages)];
  const [delivery, event, made] = [idOf('whd', deliveries), idOf('evt', deliveries), madeOf(deliveries)];
  const urls = `(ARRAY[${endpoints.map(({ url }) => `'${url}'`).join()}])[1 + row % ${endpoints.length}]`;
  const endpoint = `(ARRAY[${endpoints.map(({ id }) => `'${uuid('wh', id)}'::uuid`).join()}])[1 + row % ${endpoints.length}]`;
  const person = `'${PERSON_PREFIX}' || row / 2 % ${PEOPLE}`;
  const isOutbound = 'row % 2 = 0';
  const isQueued = `(${isOutbound} AND row <= ${2 * queued})`;
  const rows = (count: number, from = 1): string => `FROM generate_series(${from}, ${count}) AS row`;
  const payload = payloadOf('ROW');
  return [
    `INSERT INTO trunkline.messages (
       id, workspace_id, instance_id, network_id, sender_id, direction, type, status, recipient, sender, text,
       created_at, queued_at, received_at
     )
     SELECT ${message}, '${workspaceId}', '${instanceId}', 'network id ' || row,
       CASE WHEN ${isOutbound} THEN '' ELSE 'sender' END, CASE WHEN ${isOutbound} THEN 'outbound' ELSE 'inbound' END, 'text',
       CASE WHEN ${isQueued} THEN 'queued' WHEN ${isOutbound} THEN 'read' ELSE 'received' END,
       CASE WHEN ${isOutbound} THEN ${person} END, CASE WHEN NOT ${isOutbound} THEN ${person} END, 'message ' || row,
       ${messageMade}, CASE WHEN ${isOutbound} THEN ${messageMade} END, CASE WHEN NOT ${isOutbound} THEN ${messageMade} END
     ${rows(messages)}`,
    `INSERT INTO trunkline.queued_messages (instance_id, position, message_id, tries, due_at)
     SELECT '${instanceId}', row, ${message}, 0, ${messageMade} ${rows(2 * queued)} WHERE ${isQueued}`,
    `INSERT INTO trunkline.idempotency_records
     SELECT '${workspaceId}', 'key-' || row, 'of something else', ${message}, ${now} ${rows(keys)}`,
    `INSERT INTO trunkline.events
     SELECT ${event}, '${workspaceId}', 'message.sent', ${made} * 1000, replace('${payload}', 'ROW', row::text)
     ${rows(deliveries)}`,
    `INSERT INTO trunkline.deliveries (
       id, workspace_id, webhook_id, event_id, event_type, event_occurred_at, generation, status, attempts, max_attempts,
       manual, response_status, last_attempt_at, delivered_at, created_at
     )
     SELECT ${delivery}, '${workspaceId}', ${endpoint}, ${event}, 'message.sent', ${made} * 1000,
       CASE WHEN row <= ${open} THEN 1 ELSE 0 END, CASE WHEN row <= ${open} THEN 'pending' ELSE 'success' END,
       CASE WHEN row <= ${open} THEN 0 ELSE 1 END, 8, false, CASE WHEN row > ${open} THEN 204 END,
       CASE WHEN row > ${open} THEN ${made} END, CASE WHEN row > ${open} THEN ${made} END, ${made}
     ${rows(deliveries)}`,
    `INSERT INTO trunkline.due (endpoint_id, generation, due_at, delivery_id, lost_claims)
     SELECT ${endpoint}, 1, ${made}, ${delivery}, 0 ${rows(open)}`,
    `INSERT INTO trunkline.attempts (delivery_id, number, manual, url, response_status, response_body, duration_ms, at)
     SELECT ${delivery}, 1, false, ${urls}, 204, '', 5, ${made} ${rows(deliveries, open + 1)}`,
  ];
}
