#!/usr/bin/env node
// Contains only this: a Node that is too old says so before it has to understand the rest.
const { main } = await import('./command-line/main.ts');
await main(new URL('../package.json', import.meta.url));

export {};
