#!/usr/bin/env node
// Contains nothing else, so that a Node that is too old is reported before it has to parse the other modules.
const { main } = await import('./command-line/main.ts');
await main(new URL('../package.json', import.meta.url));

export {};
