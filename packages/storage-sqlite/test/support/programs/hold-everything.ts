import { holdEverything } from '@trunkline/storage-contract/hold-everything';
import { sqliteStorage } from '../../../src/index.ts';

await holdEverything(sqliteStorage({ path: process.argv[2] ?? '' }));
