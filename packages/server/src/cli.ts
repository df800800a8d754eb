#!/usr/bin/env node
// Imports everything dynamically, so that a Node that is too old is refused before it parses the other modules.
const { main } = await import('./commands/main.ts');
await main(new URL('../package.json', import.meta.url));

export {};
