// Opens a storage when its parent ends stdin, prints which process set a setting first, and closes the storage.
import { sqliteStorage } from '../../../src/index.ts';
import { storageContext } from '../storage-context.ts';
import { print, waitForParent } from './parent.ts';

const storage = sqliteStorage({ path: process.argv[2] ?? '' });
await waitForParent();
await storage.open(storageContext);
await print(await storage.setting('opened by', String(process.pid)));
await storage.close();
