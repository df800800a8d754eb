#!/usr/bin/env node
// The build inserts a check of Node's version before this line (`refusalInOneLine` in tsup.shared.ts). Import only
// dynamically: an old Node would parse static imports before the check, and might fail.
const { main } = await import('./main.ts');
process.exitCode = await main();

export {};
