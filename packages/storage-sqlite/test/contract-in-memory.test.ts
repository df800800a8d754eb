import { describeStorageContract } from '@trunkline/storage-contract';
import { sqliteStorage } from '../src/index.ts';

const missing = 'a database in memory has one connection, and is lost when it is closed';

describeStorageContract({
  name: 'sqlite in memory',
  cases: 'sample',
  capabilities: {
    reopen: { missing },
    shared: { missing },
    processes: { missing },
    transactions: { missing },
    damage: { missing },
  },
  async createDatabase() {
    return { connect: () => sqliteStorage({ path: ':memory:' }), async dispose() {} };
  },
});
