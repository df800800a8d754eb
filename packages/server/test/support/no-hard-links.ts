import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

// Preloaded into a process; simulates a disk without hard links, like exFAT and some network disks.
Object.assign(fs, {
  link: (from: string, to: string) =>
    Promise.reject(Object.assign(new Error(`EPERM: link '${from}' -> '${to}'`), { code: 'EPERM' })),
});
syncBuiltinESMExports();
