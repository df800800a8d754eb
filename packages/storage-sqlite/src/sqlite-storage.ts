import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createSignals, explainUnavailable } from '@trunkline/core/spi/storage';
import type { Signal, Storage, StorageContext, StorageDescription } from '@trunkline/core/spi/storage';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import { whileOpen } from '@trunkline/storage-kit';
import { actionStore } from './messages/action-store.ts';
import { activityStore } from './messages/activity-store.ts';
import { apiKeyStore } from './workspaces/api-key-store.ts';
import { announceAtEnd, callerTransaction } from './database/caller-transaction.ts';
import type { Database } from './database/database.ts';
import { whyUnavailable } from './database/lock.ts';
import { openDatabase } from './database/open-database.ts';
import { databaseFile } from './database/database-file.ts';
import { describeDatabase } from './database/description.ts';
import { callStore } from './processes/call-store.ts';
import { chatStore } from './messages/chat-store.ts';
import { contactStore } from './people/contact-store.ts';
import { deliveryStore } from './deliveries/delivery-store.ts';
import { downloadStore } from './messages/download-store.ts';
import { endpointStore } from './deliveries/endpoint-store.ts';
import { eventStore } from './deliveries/event-store.ts';
import { erasureStore } from './erasure/erasure-store.ts';
import { groupChangeStore } from './instances/group-change-store.ts';
import { groupStore } from './people/group-store.ts';
import { historyStore } from './instances/history-store.ts';
import { idempotencyLog } from './messages/idempotency-log.ts';
import { instanceStore } from './instances/instance-store.ts';
import { keptSenders } from './messages/kept-senders.ts';
import { lookupStore } from './instances/lookup-store.ts';
import { leaseStore } from './processes/lease-store.ts';
import { uploadRegistry } from './messages/upload-registry.ts';
import { acceptingMessages } from './messages/message-acceptance.ts';
import { messageStore } from './messages/message-store.ts';
import type { SendingConnection } from './messages/message-store.ts';
import { knownProcesses } from './processes/processes.ts';
import type { Processes } from './processes/processes.ts';
import { processRegistry } from './processes/process-registry.ts';
import { purge } from './database/purge.ts';
import { retentionStore } from './erasure/retention-store.ts';
import { text } from './rows/row.ts';
import { sameFile } from './database/same-file.ts';
import { scheduleStore } from './messages/schedule-store.ts';
import { settleWindows } from './messages/search-filing.ts';
import { sessionStore } from './instances/session-store.ts';
import { shortenWaits } from './deliveries/shorten-waits.ts';
import { spentTokenStore } from './workspaces/spent-token-store.ts';
import { subscriptionStore } from './deliveries/subscription-store.ts';
import { trafficStore } from './traffic/traffic-store.ts';
import { voteStore } from './messages/vote-store.ts';
import { workloadStore } from './processes/workload-store.ts';
import { workspaceStore } from './workspaces/workspace-store.ts';
import { createTurns } from './database/turns.ts';
import { createWriter } from './database/writer.ts';
import type { Announce } from './database/writer.ts';

/** The options of `sqliteStorage`. */
export interface SqliteStorageOptions {
  /**
   * The database file. It is created if it does not exist; its directory must exist. `:memory:` is a new database in
   * memory, on one connection and without any file, which is lost when it is closed: for tests.
   */
  readonly path: string;
  /** How long a write waits for another transaction on the file to end before it rejects. Default 5,000 ms. */
  readonly lockTimeoutMs?: number | undefined;
}

const OPTION_NAMES: OptionNames<SqliteStorageOptions> = { path: true, lockTimeoutMs: true };
const DEFAULT_LOCK_TIMEOUT_MS = 5_000;

/**
 * Trunkline's storage on one SQLite file. When a promise resolves, its result is on disk (WAL, `synchronous = FULL`),
 * except in a caller's own transaction. Writes that arrive together share one commit. Several processes can use one
 * file, and each polls for the others' work.
 *
 * A caller's own transaction is passed as a `DatabaseSync` that is open on the same file and has run `BEGIN IMMEDIATE`.
 */
export function sqliteStorage(options: SqliteStorageOptions): Storage<DatabaseSync> {
  checkOptionNames('sqliteStorage', options, OPTION_NAMES);
  const path = checkPath(options);
  const lockTimeoutMs = checkLockTimeout(options);
  const signals = createSignals();
  const { connected: opened, current, open, close } = whileOpen<OpenStorage>();
  const connected = (): OpenStorage => {
    const connection = opened();
    connection.checkFile();
    return connection;
  };
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
    processes: explained(processRegistry(connected, async (now) => connected().processes.releaseEnded(now))),
    workload: explained(workloadStore(connected)),
    traffic: explained(trafficStore(connected)),

    open: ({ newId, logger }: StorageContext) =>
      open(() => {
        const file = databaseFile(path);
        const database = openDatabase(file);
        const publish = (signal: Signal): void => {
          // A transaction of the caller may end after the storage was closed.
          if (current()?.database === database) signals.publish(signal, logger);
        };
        // In memory, there is no flush that operations could share.
        const soon = file === ':memory:' ? queueMicrotask : setImmediate;
        const writer = createWriter({ database, publish, lockTimeoutMs, soon });
        const processes = knownProcesses({ file, database, writer, logger });
        const idempotency = idempotencyLog({ database, writer, logger });
        const accepting = (announce: Announce) => acceptingMessages(database, idempotency, announce);
        return {
          database,
          idempotency,
          newId,
          process: processes.own,
          processes,
          readInTurn: createTurns().take,
          write: (operation) => writer.run(operation),
          accept: (acceptance) => writer.runInSeries(accepting, acceptance),
          joined: (transaction) => callerTransaction(file, transaction),
          announceAtEnd: announceAtEnd(publish),
          describe: () => describeDatabase(file, database),
          async purge() {
            // The tokens of deleted messages go first.
            await settleWindows({ database, write: (operation) => writer.run(operation) }, Infinity);
            return purge(file, database);
          },
          checkFile: sameFile(file, database),
          async close() {
            await processes.close();
            await idempotency.close();
            await writer.completed();
            database.close();
          },
        };
      }),
    setting: async (name, valueIfNew) => {
      const { database, write } = connected();
      // Checks first, because an existing value need not be written.
      return findSetting(database, name) ?? write(() => findOrAddSetting(database, name, valueIfNew));
    },
    replaceSetting: async (name, value) => {
      const { database, write } = connected();
      await write(() =>
        database.run('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, value),
      );
    },
    shortenWaits: async (step) => shortenWaits(connected(), step),
    describe: async () => connected().describe(),
    subscribe: signals.subscribe,
    purge: async () => connected().purge(),
    close,
  };
}

interface OpenStorage extends SendingConnection {
  describe(): StorageDescription;
  purge(): Promise<string | null>;
  readonly processes: Processes;
  /** Throws if the path no longer leads to the opened file, or the file was overwritten. */
  checkFile(): void;
  close(): Promise<void>;
}

function explained<Store extends object>(store: Store): Store {
  return explainUnavailable(store, whyUnavailable);
}

function findSetting(database: Database, name: string): string | undefined {
  const row = database.get('SELECT value FROM settings WHERE name = ?', name);
  return row && text(row, 'value');
}

function findOrAddSetting(database: Database, name: string, valueIfNew: string): string {
  database.run('INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)', name, valueIfNew);
  return findSetting(database, name) ?? valueIfNew;
}

function checkPath(options: Partial<SqliteStorageOptions>): string {
  const path: unknown = options.path;
  if (path === undefined)
    throw new TypeError(
      'sqliteStorage: the option "path" is missing. Give the path of a file, or ":memory:".',
    );
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw new TypeError(
      'sqliteStorage: the option "path" is wrong: it must be the path of a file, or ":memory:".',
    );
  }
  // An absolute path is never taken for a URI, and stays valid if the working directory changes.
  return path === ':memory:' ? path : resolve(path);
}

function checkLockTimeout({ lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS }: SqliteStorageOptions): number {
  if (Number.isInteger(lockTimeoutMs) && lockTimeoutMs >= 0) return lockTimeoutMs;
  throw new TypeError(
    'sqliteStorage: the option "lockTimeoutMs" is wrong: it must be a whole number, 0 or more.',
  );
}
