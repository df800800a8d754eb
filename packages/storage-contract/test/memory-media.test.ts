import { memoryMediaStore } from '@trunkline/core/testing';
import { describeMediaStoreContract } from '../src/index.ts';

describeMediaStoreContract({
  name: 'memory',
  async createPlace() {
    const store = memoryMediaStore();
    return { connect: () => store, kept: async () => store.ids(), async dispose() {} };
  },
});
