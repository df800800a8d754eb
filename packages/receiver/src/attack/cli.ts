#!/usr/bin/env node
// Import everything else dynamically, so that a Node that is too old is reported before it has to parse the rest.
const { main } = await import('./main.ts');
process.exitCode = await main();

export {};
