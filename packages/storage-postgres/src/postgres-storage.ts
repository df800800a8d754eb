import { setTimeout as pause } from 'node:timers/promises';
import { createSignals } from '@trunkline/core/spi/storage';
import type { Logger, Signal, Storage, StorageContext, WaitsStep } from '@trunkline/core/spi/storage';
import { whileOpen } from '@trunkline/storage-kit';
import { actionStore } from './messages/action-store.ts';
import { activityStore } from './messages/activity-store.ts';
import { apiKeyStore } from './workspaces/api-key-store.ts';
import { callStore } from './processes/call-store.ts';
import { chatStore } from './messages/chat-store.ts';
import { contactStore } from './people/contact-store.ts';
import { createDatabase } from './database/database.ts';
import type { Database, DatabaseOptions } from './database/database.ts';
import { deliveryStore } from './deliveries/delivery-store.ts';
import { downloadStore } from './messages/download-store.ts';
import { describeDatabase } from './database/description.ts';
import { endpointStore } from './deliveries/endpoint-store.ts';
import { eventStore } from './deliveries/event-store.ts';
import { erasureStore } from './erasure/erasure-store.ts';
import { groupChangeStore } from './instances/group-change-store.ts';
import { groupStore } from './people/group-store.ts';
import { historyStore } from './instances/history-store.ts';
import { instanceStore } from './instances/instance-store.ts';
import { lookupStore } from './instances/lookup-store.ts';
import { leaseStore } from './processes/lease-store.ts';
import { uploadRegistry } from './messages/upload-registry.ts';
import { messageStore } from './messages/message-store.ts';
import { migrate } from './database/migrate.ts';
import { checkOptions } from './database/options.ts';
import type { CheckedOptions, PostgresStorageOptions } from './database/options.ts';
import { keptSenders } from './messages/kept-senders.ts';
import { makePartitions } from './database/partitions.ts';
import { hearErrors, makePool } from './database/pool.ts';
import type { PostgresPool } from './database/pool.ts';
import {
  channelOf,
  notification as toNotification,
  NOTIFY,
  openRemoteSignals,
} from './database/remote-signals.ts';
import type { RemoteSignals } from './database/remote-signals.ts';
import { processRegistry } from './processes/process-registry.ts';
import { knownProcesses } from './processes/processes.ts';
import type { Processes } from './processes/processes.ts';
import type { Queryable } from './database/queryable.ts';
import { retentionStore } from './erasure/retention-store.ts';
import { integer } from './rows/row.ts';
import { scheduleStore } from './messages/schedule-store.ts';
import { sessionStore } from './instances/session-store.ts';
import { findOrAddSetting, replaceSetting } from './database/setting.ts';
import { shortenWaits } from './deliveries/shorten-waits.ts';
import { createPrepare } from './database/statements.ts';
import { spentTokenStore } from './workspaces/spent-token-store.ts';
import { subscriptionStore } from './deliveries/subscription-store.ts';
import { cannotBeUsed, explained } from './database/unavailable.ts';
import { trafficStore } from './traffic/traffic-store.ts';
import { voteStore } from './messages/vote-store.ts';
import { workloadStore } from './processes/workload-store.ts';
import { workspaceStore } from './workspaces/workspace-store.ts';

/** A client of `pg` on which the app has run `BEGIN`. */
export type PostgresTransaction = Queryable;

/**
 * Trunkline's storage on PostgreSQL, 14 or later. When a promise resolves, its result is committed, except in a
 * caller's own transaction. Acceptances and outcomes that arrive together share one commit. Any number of processes, on
 * any number of machines, can share a database.
 *
 * A caller's own transaction is passed as a client of `pg` that is connected to the same database and has run `BEGIN`.
 */
export function postgresStorage(options: PostgresStorageOptions): Storage<PostgresTransaction> {
  const checked = checkOptions(options);
  const signals = createSignals();
  const opening = whileOpen<OpenStorage>();
  const connected = (): Database => opening.connected().database;

  const senders = keptSenders(connected);
  signals.subscribe(senders.hear);

  return {
    workspaces: explained(workspaceStore(connected)),
    apiKeys: explained(apiKeyStore(connected)),
    instances: explained(instanceStore(connected)),
    history: explained(historyStore(connected)),
    leases: explained(leaseStore(connected)),
    sessions: explained(sessionStore(connected)),
    calls: explained(callStore(connected)),
    lookups: explained(lookupStore(connected)),
    groupChanges: explained(groupChangeStore(connected)),
    groups: explained(groupStore(connected)),
    contacts: explained(contactStore(connected)),
    messages: explained(messageStore(connected, senders)),
    schedule: explained(scheduleStore(connected)),
    chats: explained(chatStore(connected)),
    uploads: explained(uploadRegistry(connected)),
    downloads: explained(downloadStore(connected)),
    actions: explained(actionStore(connected)),
    activities: explained(activityStore(connected)),
    votes: explained(voteStore(connected)),
    spentTokens: explained(spentTokenStore(connected)),
    endpoints: explained(endpointStore(connected)),
    deliveries: explained(deliveryStore(connected)),
    events: explained(eventStore(connected)),
    subscriptions: explained(subscriptionStore(connected)),
    retention: explained(retentionStore(connected)),
    erasure: explained(erasureStore(connected)),
    processes: explained(
      processRegistry(
        connected,
        async (now) => opening.current()?.processes.releaseEnded(connected(), now) ?? 0,
      ),
    ),
    workload: explained(workloadStore(connected)),
    traffic: explained(trafficStore(connected)),

    open: (context: StorageContext) =>
      opening.open(() =>
        openStorage(checked, context, (signal) => {
          // While the listening connection closes, it may still report signals, and listeners would read from a closed
          // storage.
          if (opening.current()) signals.publish(signal, context.logger);
        }),
      ),
    subscribe: signals.subscribe,
    close: opening.close,
    ...explained({
      setting: async (name: string, valueIfNew: string) => findOrAddSetting(connected(), name, valueIfNew),
      replaceSetting: async (name: string, value: string) => replaceSetting(connected(), name, value),
      serverTime: async () => serverTime(connected()),
      describe: async () => describeDatabase(connected()),
      shortenWaits: async (step: WaitsStep) => shortenWaits(connected(), step),
      maintain: async (now: number) => makePartitions(connected(), now),
    }),
  };
}

/** A database that is out of reach must not keep a process from ending. */
const REMOVE_WITHIN_MS = 2_000;

interface OpenStorage {
  readonly database: Database;
  readonly processes: Processes;
  idle(): Promise<void>;
  close(): Promise<void>;
}

async function openStorage(
  options: CheckedOptions,
  context: StorageContext,
  hear: (signal: Signal) => void,
): Promise<OpenStorage> {
  const { schema, timeoutMs } = options;
  const { logger } = context;
  const { pool, release } = usePool(options, logger);
  let remote: RemoteSignals | null = null;
  const publish = (reported: readonly Signal[]): void => {
    reported.forEach(hear);
    // Each event would cost a notification, so events are not announced to other processes, which find them by polling.
    remote?.send(reported.filter(({ topic }) => topic !== 'events'));
  };
  const notification: DatabaseOptions['notification'] = (reported) => {
    if (!options.notifications || reported.length === 0) return null;
    // No sender is named, so that this process is notified of the commit, too.
    const { channel, payloads } = toNotification(channelOf(schema), '', reported);
    return { text: NOTIFY, values: [channel, payloads] };
  };
  try {
    const installation = await migrate({ pool, schema, logger });
    const prepare = createPrepare(options);
    const processes = knownProcesses();
    const database = createDatabase({
      pool,
      prepare,
      context,
      installation,
      process: processes.own,
      timeoutMs,
      publish,
      notification,
    });
    await makePartitions(database, await serverTime(database));
    if (options.notifications) remote = await openRemoteSignals({ pool, schema, logger, hear });
    return {
      database,
      processes,
      idle: () => database.idle(),
      async close() {
        const removed = processes.close(database).catch((error: unknown) => {
          logger.debug(
            { err: error },
            'a process that ends could not be removed: that is done after its end',
          );
        });
        await Promise.race([removed, pause(REMOVE_WITHIN_MS, undefined, { ref: false })]);
        await remote?.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw cannotBeUsed(error);
  }
}

/** Returns the app's pool or a new one, with a function that ends the storage's use of it. */
function usePool(
  options: CheckedOptions,
  logger: Logger,
): { readonly pool: PostgresPool; release(): Promise<void> } {
  // A connection that dies in the pool is replaced on demand. Without a listener, its error would end the process.
  const onError = (error: Error): void =>
    logger.warn(
      { err: error },
      'an idle connection to Postgres broke and is replaced: if this repeats, check the server and the network',
    );
  if (options.pool) {
    const { pool } = options;
    pool.on('error', onError);
    pool.on('connect', hearErrors);
    return {
      pool,
      async release() {
        pool.removeListener('error', onError);
        pool.removeListener('connect', hearErrors);
      },
    };
  }
  const pool = makePool(options);
  pool.on('error', onError);
  pool.on('connect', hearErrors);
  return {
    pool,
    release() {
      // Connections that are being closed may still fail, which needs no report.
      pool.removeListener('error', onError);
      pool.on('error', () => undefined);
      return pool.end();
    },
  };
}

async function serverTime(database: Database): Promise<number> {
  const row = await database.get('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now');
  return row ? integer(row, 'now') : 0;
}
