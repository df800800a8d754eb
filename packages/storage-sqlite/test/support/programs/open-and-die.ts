// Opens a storage, and dies in the middle of the migration, just before it writes the new version.
import { DatabaseSync } from 'node:sqlite';
import { sqliteStorage } from '../../../src/index.ts';
import { storageContext } from '../storage-context.ts';

const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (sql) {
  if (sql.startsWith('PRAGMA user_version =')) process.kill(process.pid, 'SIGKILL');
  exec.call(this, sql);
};
await sqliteStorage({ path: process.argv[2] ?? '' }).open(storageContext);
