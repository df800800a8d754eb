import { memoryStorage } from '@trunkline/core/testing';
import { describeStorageContract } from '../src/index.ts';

const missing = 'what is in memory goes with its storage';

describeStorageContract({
  name: 'memory',
  async createDatabase() {
    return { connect: memoryStorage, async dispose() {} };
  },
  capabilities: {
    reopen: { missing },
    shared: { missing },
    processes: { missing },
    transactions: { missing: 'it accepts no transaction of a caller' },
    damage: { missing: 'nothing but its own methods reaches what it keeps' },
  },
});
