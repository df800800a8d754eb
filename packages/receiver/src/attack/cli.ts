#!/usr/bin/env node
// The build inserts a check of Node's version before this line (`refusalInOneLine` in tsup.shared.ts). A static import
// would be parsed before the check, which an old Node may not survive.
const { main } = await import('./main.ts');
process.exitCode = await main();

export {};
