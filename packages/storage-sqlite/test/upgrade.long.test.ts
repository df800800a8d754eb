import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeUpgrade, idOfRow, madeAt, payloadOf, personOf } from '@trunkline/storage-contract/upgrade';
import type { EarlierData } from '@trunkline/storage-contract/upgrade';
import { builtProgram } from '@trunkline/test-support/built-program';
import { startChild } from '@trunkline/test-support/start-child';
import { sqliteStorage } from '../src/index.ts';
import { INITIAL_VERSION, LATEST_VERSION, MIGRATIONS } from '../src/migrations/migrate.ts';
import { connectTo } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const OPEN = await builtProgram(new URL('support/programs/open.ts', import.meta.url));

describeUpgrade({
  name: 'SQLite',
  schemas: [
    ['21 November 2026', 4],
    ['the morning after', 12],
  ],
  async newDatabase() {
    // On a disk: how long it takes there is printed.
    const path = join(temporaryDirectory(tmpdir()), 'test.db');
    return {
      newStorage: () => sqliteStorage({ path }),
      makeEarlier: async (version, data) => makeEarlier(path, version, data),
      startOpening: () => startChild(OPEN, path),
      async expectCurrent() {
        const connection = connectTo(path);
        expect(connection.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
        expect(connection.prepare('PRAGMA user_version').get()).toEqual({ user_version: LATEST_VERSION });
      },
    };
  },
});

function makeEarlier(path: string, version: number, data: EarlierData): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  for (const migration of MIGRATIONS.slice(0, version - INITIAL_VERSION + 1)) {
    if (typeof migration === 'string') database.exec(migration);
    else if (!migration.step(database).isComplete) throw new Error(`Schema ${version} is made in steps.`);
  }
  // "trnk"
  database.exec(`PRAGMA application_id = 1953656427; PRAGMA user_version = ${version}`);
  const statements = new Map<string, StatementSync>();
  const insert: Insert = (table, row) => {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`;
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    statement.run(...Object.values(row));
  };
  database.exec('BEGIN');
  insertLiveRows(insert, data);
  insertMessages(insert, data);
  insertDeliveries(insert, data);
  database.exec('COMMIT');
  database.close();
}

type Insert = (table: string, row: Readonly<Record<string, SQLInputValue>>) => void;

function insertLiveRows(
  insert: Insert,
  { workspace, instance, session, endpoints, since }: EarlierData,
): void {
  const { id, name, createdAt } = workspace;
  const plan = JSON.stringify(workspace.plan);
  insert('workspaces', { id, name, plan, trial_messages_used: 0, created_at: createdAt });
  insert('instances', {
    id: instance.id,
    workspace_id: id,
    name: instance.name,
    status: instance.status,
    desired: instance.desired,
    phone_number: instance.phoneNumber,
    connected_at: instance.connectedAt,
    created_at: instance.createdAt,
    updated_at: instance.updatedAt,
    version: instance.version,
  });
  for (const [key, value] of session)
    insert('session_values', { instance_id: instance.id, name: key, value });
  for (const endpoint of endpoints) {
    insert('endpoints', {
      id: endpoint.id,
      workspace_id: id,
      url: endpoint.url,
      events: JSON.stringify(endpoint.events),
      status: endpoint.status,
      sealed_secret: endpoint.sealedSecret,
      secret_hint: endpoint.secretHint,
      exhausted: 0,
      created_at: endpoint.createdAt,
      updated_at: endpoint.updatedAt,
      version: endpoint.version,
    });
    insert('lanes', { endpoint_id: endpoint.id, generation: 1, wake_at: since, is_full: 0, ready_from: 0 });
  }
}

function insertMessages(insert: Insert, data: EarlierData): void {
  const { workspace, instance, messages, queued, keys, now } = data;
  for (let row = 1; row <= messages; row += 1) {
    const at = madeAt(data, row, messages);
    const id = idOfRow('msg', at, row);
    const isOutbound = row % 2 === 0;
    const isQueued = isOutbound && row <= 2 * queued;
    insert('messages', {
      id,
      workspace_id: workspace.id,
      instance_id: instance.id,
      network_id: `network id ${row}`,
      sender_id: isOutbound ? '' : 'sender',
      direction: isOutbound ? 'outbound' : 'inbound',
      type: 'text',
      status: isQueued ? 'queued' : isOutbound ? 'read' : 'received',
      recipient: isOutbound ? personOf(row) : null,
      sender: isOutbound ? null : personOf(row),
      text: `message ${row}`,
      created_at: at,
      queued_at: isOutbound ? at : null,
      received_at: isOutbound ? null : at,
    });
    if (isQueued)
      insert('queue', { instance_id: instance.id, position: row, message_id: id, tries: 0, due_at: at });
    if (row <= keys)
      insert('idempotency_records', {
        workspace_id: workspace.id,
        key: `key-${row}`,
        fingerprint: 'of something else',
        message_id: id,
        created_at: now,
      });
  }
}

function insertDeliveries(insert: Insert, data: EarlierData): void {
  const { workspace, endpoints, deliveries, open } = data;
  for (let row = 1; row <= deliveries; row += 1) {
    const at = madeAt(data, row, deliveries);
    const [id, eventId] = [idOfRow('whd', at, row), idOfRow('evt', at, row)];
    const endpoint = endpoints[row % endpoints.length];
    if (!endpoint) throw new Error('There are no endpoints.');
    const isOpen = row <= open;
    const payload = payloadOf(row);
    insert('events', {
      id: eventId,
      workspace_id: workspace.id,
      type: 'message.sent',
      occurred_at: at * 1000,
      payload,
      deliveries: 1,
    });
    insert('deliveries', {
      id,
      workspace_id: workspace.id,
      webhook_id: endpoint.id,
      event_id: eventId,
      event_type: 'message.sent',
      event_occurred_at: at * 1000,
      generation: isOpen ? 1 : 0,
      status: isOpen ? 'pending' : 'success',
      attempts: isOpen ? 0 : 1,
      max_attempts: 8,
      manual: 0,
      response_status: isOpen ? null : 204,
      last_attempt_at: isOpen ? null : at,
      delivered_at: isOpen ? null : at,
      created_at: at,
    });
    if (isOpen)
      insert('due', { endpoint_id: endpoint.id, generation: 1, due_at: at, delivery_id: id, lost_claims: 0 });
    else
      insert('attempts', {
        delivery_id: id,
        number: 1,
        manual: 0,
        url: endpoint.url,
        response_status: 204,
        response_body: '',
        duration_ms: 5,
        at,
      });
  }
}
