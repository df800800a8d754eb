/**
 * Runs the benches below one after another, in less than half an hour on four cores, and prints the rows of
 * README.md's table of aims. Long benches run with smaller sizes than on their own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OUTCOMES_VARIABLE, plain, printMachine, rowOf } from './figures.ts';
import type { Outcome } from './figures.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';

const BENCHES: readonly (readonly [name: string, sizes: Readonly<Record<string, string>>])[] = [
  ['idle', { SECONDS: '5' }],
  ['verify', { ROUNDS: '5' }],
  ['accept', { SECONDS: '3' }],
  ['webhooks', { WEBHOOKS: '20000', HOSTS: '200' }],
  ['lanes', { JOBS: '20000' }],
  ['fairness', { SECONDS: '12' }],
  ['flat', { STORAGE: 'sqlite', ROUNDS: '5' }],
  ['flat', { STORAGE: 'postgres', ROUNDS: '5' }],
  ['feel', { TEXTS: '200', BURNERS: '0,3' }],
  ['restart', { ROUNDS: '5' }],
  ['big-accounts', { INSTANCES: '2' }],
  ['whatsapp-instances', {}],
  ['scale', { INSTANCES: '1000', PROCESSES: '4', ENDPOINTS: '200', PER_SECOND: '50', SECONDS: '10' }],
];

const directory = makeDirectory();
const file = join(directory, 'outcomes.jsonl');
writeFileSync(file, '');
const failed: string[] = [];
const began = performance.now();
for (const [name, sizes] of BENCHES) {
  const label = [name, ...Object.entries(sizes).map(([key, value]) => `${key}=${value}`)].join(' ');
  console.log(`\n# ${label}\n`);
  const started = performance.now();
  const child = spawn(
    process.execPath,
    ['--conditions=source', fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    { env: { ...process.env, ...sizes, [OUTCOMES_VARIABLE]: file }, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [code] = await once(child, 'close');
  if (code !== 0) failed.push(label);
  console.log(`\n(${plain((performance.now() - started) / 1000)} s)`);
}
const outcomes = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Outcome); // figures.ts wrote the line
removeDirectory(directory);

console.log('\n# Summary\n');
printMachine();
const reached = outcomes.filter(({ isReached }) => isReached).length;
const minutes = plain((performance.now() - began) / 60_000);
console.log(`\n${reached} of ${outcomes.length} aims reached, in ${minutes} minutes\n`);
for (const outcome of outcomes) console.log(rowOf(outcome));
// A bench that ended with an error has measured nothing; a missed aim is not an error.
for (const label of failed) console.error(`${label} failed; its error is above.`);
if (failed.length > 0) process.exitCode = 1;
