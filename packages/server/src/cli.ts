#!/usr/bin/env node
// Contains only this, so that a Node that is too old is reported before it has to parse the rest.
const { main } = await import('./command-line/main.ts');
await main(new URL('../package.json', import.meta.url));

export {};
