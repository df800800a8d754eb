import type { Signal, Storage, StorageContext } from '@trunkline/core';
import { apiKeyStore } from './api-key-store.ts';
import type { Connection } from './connection.ts';
import { openDatabase } from './open-database.ts';
import { deliveryStore } from './delivery-store.ts';
import { instanceStore } from './instance-store.ts';
import { mediaIndex } from './media-index.ts';
import { messageStore } from './message-store.ts';
import { retentionStore } from './retention-store.ts';
import { text } from './row.ts';
import { createSignals } from './signals.ts';
import { subscriptionStore } from './subscription-store.ts';
import { webhookStore } from './webhook-store.ts';
import { workspaceStore } from './workspace-store.ts';
import { createWriter } from './writer.ts';

export interface SqliteStorageOptions {
  /** The database file; made where there is none, in a directory that exists. `:memory:` keeps nothing. */
  readonly path: string;
}

/**
 * Trunkline's storage on one SQLite file. What a promise resolves with is on disk (WAL, `synchronous = FULL`); writes
 * that come in together share one commit. Several processes may use one file: each polls for what the others wrote.
 */
export function sqliteStorage(options: SqliteStorageOptions): Storage {
  const path = checkPath(options);
  const signals = createSignals();
  let open: (Connection & { close(): void }) | null = null;
  const connected = (): Connection => {
    if (!open) throw new Error('The storage is not open.');
    return open;
  };

  return {
    workspaces: workspaceStore(connected),
    apiKeys: apiKeyStore(connected),
    instances: instanceStore(connected),
    messages: messageStore(connected),
    media: mediaIndex(connected),
    webhooks: webhookStore(connected),
    deliveries: deliveryStore(connected),
    subscriptions: subscriptionStore(connected),
    retention: retentionStore(connected),

    async open({ newId, logger }: StorageContext) {
      if (open) throw new Error('The storage is open already.');
      const database = openDatabase(path);
      const writer = createWriter(database, (signal) => signals.publish(signal, logger));
      open = {
        database,
        newId,
        write: (operation) => writer.run(operation),
        close() {
          writer.flush();
          database.close();
        },
      };
    },
    setting: async (name, valueIfNew) => {
      const { database, write } = connected();
      return write(() => {
        database.run('INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)', name, valueIfNew);
        const row = database.get('SELECT value FROM settings WHERE name = ?', name);
        return row ? text(row, 'value') : valueIfNew;
      });
    },
    subscribe: (listener: (signal: Signal) => void) => signals.subscribe(listener),
    async close() {
      open?.close();
      open = null;
    },
  };
}

function checkPath(options: Partial<SqliteStorageOptions> | undefined): string {
  const path: unknown = options?.path;
  if (path === undefined) throw new TypeError('sqliteStorage: the option "path" is missing.');
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw new TypeError(
      'sqliteStorage: the option "path" is wrong: it is the path of a file, or ":memory:".',
    );
  }
  return path;
}
