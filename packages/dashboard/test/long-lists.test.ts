import { idToUuid } from '@trunkline/core/spi/storage';
import type { Storage } from '@trunkline/core';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sharedPostgres } from '@trunkline/test-postgres';
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { visitor } from './support/browser-like.ts';
import { ADMIN_TOKEN, startDashboard } from './support/serve-dashboard.ts';

/** The number of messages, with a tenth as many chats: `LIST_MESSAGES=1000000`. */
const MESSAGES = Number(process.env['LIST_MESSAGES'] ?? 2_000);
const OF_A_CHAT = 10;
const CHATS = MESSAGES / OF_A_CHAT;
/** The page size of the dashboard. */
const PAGE = 50;
const TIMED = 20;

interface Listed {
  readonly data: readonly { readonly id?: string; readonly counterpart?: string }[];
  readonly meta: { readonly next_cursor: string | null };
}

// The storage's query-plans.test.ts checks how much of the database each page reads.
it(
  'long lists of messages and of chats are read by pages to their ends',
  { timeout: 1_800_000 },
  async () => {
    const { read, instance } = await openLongLists();
    const report: Record<string, unknown> = { messages: MESSAGES, chats: CHATS };
    for (const [name, path, rows] of [
      ['messages', 'messages', MESSAGES],
      ['messages of a chat', `messages?instance=${instance}&counterpart=15550000001`, OF_A_CHAT],
      ['chats', `instances/${instance}/chats`, CHATS],
    ] as const) {
      const times: number[] = [];
      const seen = new Set<string | undefined>();
      let cursor: string | null = null;
      do {
        const begun = performance.now();
        const { data, meta }: Listed = await read(path, cursor);
        times.push(performance.now() - begun);
        for (const { id, counterpart } of data) seen.add(id ?? counterpart);
        cursor = meta.next_cursor;
      } while (cursor !== null);
      expect(seen.size, name).toBe(rows);
      expect(times, name).toHaveLength(Math.ceil(rows / PAGE));
      const last = Math.max(0, times.length - TIMED);
      report[name] = [0, Math.floor(last / 2), last].map((from) => median(times.slice(from, from + TIMED)));
    }
    // Printed, not checked, because a machine may be busy.
    process.stdout.write(`The first, the middle and the last pages, in ms: ${JSON.stringify(report)}\n`);
  },
);

async function openLongLists() {
  const connectionString = await sharedPostgres();
  const schema = `lists_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const storage = postgresStorage({ connectionString, schema }) as Storage;
  const { dashboard, workspaceId, connect, clock } = await startDashboard({
    trunkline: { storage },
    dashboard: { rateLimit: false },
  });
  const { id: instance } = await connect('Support');
  const pool = new Pool({ connectionString, max: 1 });
  onTestFinished(() => pool.end());
  // Sending this many messages through the service would take too long.
  const made = `(${clock.now()} - ${MESSAGES} + row)`;
  const id = `(lpad(to_hex(${made}), 12, '0') || '7' || lpad(to_hex(row % 4096), 3, '0')
    || '8' || substr(md5('message' || row), 1, 15))::uuid`;
  await pool.query(
    `INSERT INTO "${schema}".messages (
       id, workspace_id, instance_id, network_id, sender_id, direction, type, status, recipient, text, created_at
     )
     SELECT ${id}, '${idToUuid('ten', workspaceId)}', '${idToUuid('ins', instance)}', 'network ' || row, 's',
       'outbound', 'text', 'sent', '1555' || lpad((row % ${CHATS})::text, 7, '0'), 'Hello ' || row, ${made}
     FROM generate_series(1, ${MESSAGES}) AS row`,
  );
  await pool.query(
    `INSERT INTO "${schema}".unfiled_messages (message_id) SELECT id FROM "${schema}".messages ON CONFLICT DO NOTHING`,
  );
  // The service does not file messages into chats while the clock is stopped.
  while ((await storage.chats.file?.(10_000))?.more === true);
  await pool.query(`ANALYZE "${schema}".messages, "${schema}".chats, "${schema}".chat_messages`);

  const visit = visitor(dashboard);
  await visit.signIn({ token: ADMIN_TOKEN });
  return {
    instance,
    async read(path: string, cursor: string | null): Promise<Listed> {
      const { pathname, searchParams } = new URL(path, 'http://localhost');
      searchParams.set('limit', String(PAGE));
      if (cursor !== null) searchParams.set('cursor', cursor);
      const { json } = await visit(
        'GET',
        `/dashboard/api/workspaces/${workspaceId}${pathname}?${searchParams.toString()}`,
      );
      return json as unknown as Listed; // the API's shape
    },
  };
}

function median(times: readonly number[]): number {
  const middle = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  return Math.round(middle * 10) / 10;
}
