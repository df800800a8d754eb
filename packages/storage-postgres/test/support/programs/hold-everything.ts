import { holdEverything } from '@trunkline/storage-contract/hold-everything';
import { postgresStorage } from '../../../src/index.ts';

const [connectionString = '', schema = ''] = process.argv.slice(2);
await holdEverything(postgresStorage({ connectionString, schema, maxConnections: 3 }));
