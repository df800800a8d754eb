#!/usr/bin/env node
// The build puts a check of Node's version before this line (`refusalInOneLine` in tsup.shared.ts). Import only
// dynamically, so that the check runs before an old Node parses anything else.
const { main } = await import('./main.ts');
process.exitCode = await main();

export {};
