import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

// Loaded into a process before anything else: its disk has no hard links, as exFAT and some of the network.
Object.assign(fs, {
  link: (from: string, to: string) =>
    Promise.reject(Object.assign(new Error(`EPERM: link '${from}' -> '${to}'`), { code: 'EPERM' })),
});
syncBuiltinESMExports();
