/**
 * How long the server takes to start, how much memory and CPU an idle server uses, and how much it writes, as published
 * and from its sources. ROUNDS, and the SECONDS for which each server is watched, are the sizes.
 */
import { setTimeout } from 'node:timers/promises';
import { compare, plain, printMachine, printTable, size, spread } from './figures.ts';
import { publishedServer, SERVER_SOURCE } from './idle/published-server.ts';
import { startIdleServer } from './idle/idle-server.ts';
import { inRounds } from './rounds.ts';

const ROUNDS = size('ROUNDS', 5);
const SECONDS = size('SECONDS', 12);
/** After this, the code that a start needs has been loaded and compiled. */
const IDLE_AFTER_MS = 5_000;
const MB = 1_048_576;

const ARGS = {
  published: publishedServer(),
  'from sources': SERVER_SOURCE,
};
type Variant = keyof typeof ARGS;
const NAMES = Object.keys(ARGS) as Variant[]; // a literal has no other keys

const results = await inRounds(NAMES, ROUNDS, async (variant) => {
  const server = await startIdleServer(ARGS[variant]);
  await setTimeout(IDLE_AFTER_MS);
  const before = { cpu: server.cpuSeconds(), written: server.bytesWritten() };
  await setTimeout(SECONDS * 1000);
  const figures = {
    upAfter: server.upAfter,
    memory: server.residentMemory() / MB,
    cpu: ((server.cpuSeconds() - before.cpu) / SECONDS) * 100,
    written: (server.bytesWritten() - before.written) / SECONDS,
  };
  await server.stop();
  return figures;
});

type Figure = keyof (typeof results)[Variant][number];
const of = (variant: Variant, figure: Figure): readonly number[] =>
  results[variant].map((figures) => figures[figure]);
printMachine();
printTable(
  `The idle server on SQLite, ${plain(ROUNDS)} rounds of ${plain(SECONDS)} s`,
  ['', 'MB', 'percent of a core', 'seconds until it is up', 'bytes written a second'],
  NAMES.map((variant) => [
    variant,
    spread(of(variant, 'memory')),
    spread(of(variant, 'cpu'), 2),
    spread(of(variant, 'upAfter'), 2),
    spread(of(variant, 'written')),
  ]),
);
console.log();
compare('MB, published', of('published', 'memory'), { atMost: 90 });
compare('percent of a core, published', of('published', 'cpu'), { atMost: 1 });
compare('seconds until it is up, published', of('published', 'upAfter'), { atMost: 1 });
