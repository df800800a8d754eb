// Opens a storage when the parent ends stdin, prints which process set a setting first, and closes the storage.
import { once } from 'node:events';
import { postgresStorage } from '../../../src/index.ts';
import { storageContext } from '../storage-context.ts';

const [connectionString = '', schema = ''] = process.argv.slice(2);
const storage = postgresStorage({ connectionString, schema, maxConnections: 2 });
process.stdout.write('ready\n');
await once(process.stdin.resume(), 'end');
await storage.open(storageContext);
process.stdout.write(`${await storage.setting('opened by', String(process.pid))}\n`);
await storage.close();
