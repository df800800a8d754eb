/**
 * Where one message waits: from its POST until the network has it, and from the network until the webhook's request, on
 * each storage. Each text is sent or received alone, so that every wait is its own. Set TEXTS (100).
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Storage } from '@trunkline/core';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { Pool } from 'pg';
import { printMachine, printTable, size } from './figures.ts';
import { countSqliteStatements, countStatements } from './path/recorder.ts';
import { withService } from './path/service.ts';
import type { Service } from './path/service.ts';
import { inboundSteps, isRecorded, msOf, operationRows, outboundSteps, stepRows } from './path/steps.ts';
import type { Path } from './path/steps.ts';
import { dropSchema, postgresUrl, providePostgres, schemaOf } from './postgres.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';
import { now } from './time.ts';

const TEXTS = size('TEXTS', 100);
/** Texts that are not counted, because they load code and prepare statements. */
const FIRST = 10;
/** The pause after each text, in which its receipts arrive. */
const PAUSE_MS = 50;
const POLL_MS = 2;

countSqliteStatements();
const postgres = await providePostgres();
printMachine();
try {
  for (const storage of ['SQLite', 'PostgreSQL'] as const) await measure(storage);
} finally {
  await postgres.stop();
}
// Baileys' timers would keep the process running for up to a minute.
process.exit();

async function measure(name: 'SQLite' | 'PostgreSQL'): Promise<void> {
  const directory = makeDirectory();
  const pool = new Pool({ connectionString: postgresUrl(), max: 10, pipeline: true });
  try {
    const storage =
      name === 'SQLite'
        ? sqliteStorage({ path: join(directory, 'trunkline.db') })
        : (postgresStorage({ pool: countStatements(pool), schema: schemaOf(directory) }) as Storage); // no caller's transactions
    await withService(directory, storage, async (service) => {
      const sent = await pathsOf(service, outbound);
      const received = await pathsOf(service, inbound);
      const head = ['step', 'ms', 'p99', 'statements', 'round trips'];
      printTable(`${name}: ${TEXTS} texts sent, one after another`, head, [
        ...stepRows(sent.map(outboundSteps)),
        [
          '**POST until its response**',
          ...msOf(sent.map((path) => (path.respondedAt ?? 0) - path.begunAt)),
          '',
          '',
        ],
        [
          '**POST until the network**',
          ...msOf(sent.map((path) => (path.onWireAt ?? 0) - path.begunAt)),
          '',
          '',
        ],
        [
          '**network until the webhook**',
          ...msOf(sent.map((path) => path.webhookAt - (path.onWireAt ?? 0))),
          '',
          '',
        ],
      ]);
      printTable(`${name}: ${TEXTS} texts received, one after another`, head, [
        ...stepRows(received.map(inboundSteps)),
        [
          '**network until the webhook**',
          ...msOf(received.map((path) => path.webhookAt - path.begunAt)),
          '',
          '',
        ],
      ]);
      const operations = ['operation', 'calls for each text', 'statements', 'round trips'];
      printTable(
        `${name}: all operations of a sent text, with its receipts`,
        operations,
        operationRows(sent),
      );
      printTable(`${name}: all operations of a received text`, operations, operationRows(received));
    });
  } finally {
    await pool.end();
    if (name === 'PostgreSQL') await dropSchema(directory);
    removeDirectory(directory);
  }
}

async function pathsOf(
  service: Service,
  follow: (service: Service, text: string) => Promise<Path>,
): Promise<readonly Path[]> {
  const paths: Path[] = [];
  for (let index = 0; index < FIRST + TEXTS; index += 1)
    paths.push(await follow(service, `${follow.name} ${index}`));
  return paths.slice(FIRST);
}

async function outbound(service: Service, text: string): Promise<Path> {
  service.recorder.take();
  const begunAt = now();
  await service.post(text);
  const respondedAt = now();
  const rest = await followWebhook(service, text);
  const sent = await service.wa.sentMessages({ from: service.account });
  const onWire = sent.find(({ content }) => content.type === 'text' && content.text === text);
  return { ...rest, begunAt, respondedAt, onWireAt: onWire?.receivedAt ?? null };
}

async function inbound(service: Service, text: string): Promise<Path> {
  service.recorder.take();
  const begunAt = now();
  await service.wa.inbound(service.person, service.account, text);
  return { ...(await followWebhook(service, text)), begunAt, respondedAt: null, onWireAt: null };
}

/** Waits until the outcome of the text's webhook is recorded, and a little longer. */
async function followWebhook(
  { recorder, webhooks }: Service,
  text: string,
): Promise<Pick<Path, 'calls' | 'webhookAt'>> {
  for (;;) {
    const webhookAt = webhooks.get(text);
    if (webhookAt !== undefined && isRecorded(recorder.calls(), webhookAt)) {
      await wait(PAUSE_MS);
      return { calls: recorder.take(), webhookAt };
    }
    await wait(POLL_MS);
  }
}
