// Holds the file's write lock for a while, as a process with a long transaction does.
import { DatabaseSync } from 'node:sqlite';
import { print } from './parent.ts';

const connection = new DatabaseSync(process.argv[2] ?? '');
connection.exec('BEGIN IMMEDIATE');
await print('held');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
connection.exec('COMMIT');
