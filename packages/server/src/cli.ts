#!/usr/bin/env node
// Contains only this: a Node that is too old can report that before it has to parse the rest.
const { main } = await import('./command-line/main.ts');
await main(new URL('../package.json', import.meta.url));

export {};
