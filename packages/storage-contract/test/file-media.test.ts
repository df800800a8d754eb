import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileMediaStore } from '@trunkline/core/node';
import { describeMediaStoreContract } from '../src/index.ts';

describeMediaStoreContract({
  name: 'file',
  async createPlace() {
    const directory = await mkdtemp(join(tmpdir(), 'trunkline-media-'));
    return {
      connect: () => fileMediaStore({ directory }),
      async kept() {
        const entries = await readdir(directory, { recursive: true, withFileTypes: true });
        return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
      },
      dispose: () => rm(directory, { recursive: true, force: true }),
    };
  },
});
