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
    transactions: { missing: 'it has none of its own' },
    damage: { missing: 'nothing but its own methods reaches what it keeps' },
  },
});
