import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { vectors } from '@trunkline/receiver/testing';
import { BUN, DENO, bunArgs, denoArgs } from './support/runtimes.ts';
import { startWorker } from './support/start-worker.ts';

const program = `
  import { checkVectors } from './test/runtimes/check-vectors.ts';
  console.log(JSON.stringify(await checkVectors()));`;
const { signatures, requests, standard_signatures, standard_requests } = vectors;
const all = [signatures, requests, standard_signatures, standard_requests].flat();
const allRight = { checked: all.length, wrong: [] };

it('the receiver passes the vectors on Bun', async ({ skip }) => {
  if (BUN === undefined) return skip('the npm package "bun" has no program for this machine');
  expect(await run(BUN, bunArgs(program))).toEqual(allRight);
});

it('the receiver passes the vectors on Deno', async ({ skip }) => {
  if (DENO === undefined) return skip('the npm package "deno" has no program for this machine');
  expect(await run(DENO, denoArgs(program))).toEqual(allRight);
});

it('the receiver passes the vectors on workerd', async () => {
  const worker = await startWorker(`
    import { checkVectors } from './test/runtimes/check-vectors.ts';
    export default { fetch: async () => Response.json(await checkVectors()) };`);
  try {
    expect(await (await fetch(worker.url)).json()).toEqual(allRight);
  } finally {
    await worker.stop();
  }
});

async function run(command: string, args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(command, args, { cwd: new URL('..', import.meta.url) });
  return JSON.parse(stdout);
}
