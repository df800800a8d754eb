// Opens a storage, and dies in the middle of the migration: where it would write down for the first time how far it has
// come, or for the time given.
import { DatabaseSync } from 'node:sqlite';
import { sqliteStorage } from '../../../src/index.ts';
import { storageContext } from '../storage-context.ts';

const exec = DatabaseSync.prototype.exec;
let left = Number(process.argv[3] ?? 1);
DatabaseSync.prototype.exec = function (sql) {
  if (sql.startsWith('PRAGMA user_version =')) left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  exec.call(this, sql);
};
await sqliteStorage({ path: process.argv[2] ?? '' }).open(storageContext);
