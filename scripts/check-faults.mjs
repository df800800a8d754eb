// Shows that the checks can fail: plants one fault at a time in a temporary copy of the checkout, and runs the command
// that has to find it. Exits 1 if a fault passes, or if a command fails without a fault, because its result would mean
// nothing. Run by `pnpm check:faults`.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeRunDirectory } from '../internal/test-postgres/src/run-directory.ts';

const TEST = 'packages/core/test/planted.test.ts';
const DOMAIN = 'packages/core/src/domain/planted.ts';
const test = ['test', TEST];
const root = dirname(import.meta.dirname);
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** Changes that must pass. `command` runs only the program that looks for such faults. */
const HARMLESS = [
  { name: 'a test that passes', command: test, path: TEST, text: aTest('expect(1).toBe(1)') },
  {
    name: 'a type that fits',
    command: link('types', 'tsc -p tsconfig.json'),
    path: DOMAIN,
    text: 'export const planted: number = 1;\n',
  },
  {
    name: 'an import that is allowed',
    command: link('lint', 'depcruise'),
    path: DOMAIN,
    text: "import 'uuid';\n",
  },
];

/**
 * Changes that must fail, with the expected output (`says`), and whether the report of the tests must show the fault
 * (`report`).
 */
const FAULTS = [
  {
    name: 'a failing test',
    command: test,
    path: TEST,
    text: aTest('expect(1).toBe(2)'),
    says: 'expected 1 to be 2',
    report: true,
  },
  {
    name: 'an unhandled rejection',
    command: test,
    path: TEST,
    text: aTest("void Promise.reject(new Error('planted'))"),
    says: 'Unhandled Rejection',
  },
  {
    name: 'a test file that does not load',
    command: test,
    path: TEST,
    text: `import './there-is-no-such-file.ts';\n${aTest('expect(1).toBe(1)')}`,
    says: 'there-is-no-such-file.ts',
    report: true,
  },
  {
    name: 'a test file that takes too much CPU time',
    command: test,
    path: TEST,
    text: aTest('while (process.cpuUsage().user < 11_000_000) Math.sqrt(2)'),
    says: 'may take 10.0 s',
  },
  {
    name: 'a type error',
    command: ['types'],
    path: DOMAIN,
    text: "export const planted: number = 'one';\n",
    says: 'TS2322',
  },
  {
    name: 'a floating promise',
    command: ['lint'],
    path: DOMAIN,
    text: 'export function planted(): void {\n  Promise.resolve();\n}\n',
    says: 'no-floating-promises',
  },
  {
    name: 'a short limit in a test',
    command: ['lint'],
    path: TEST,
    text: "import { it } from 'vitest';\n\nit('is planted', async () => {\n  await fetch('http://localhost', { signal: AbortSignal.timeout(500) });\n});\n",
    says: 'no-short-limit',
  },
  {
    name: 'a comment without a subject',
    command: ['lint'],
    path: DOMAIN,
    text: '/** What is planted. */\nexport const planted = 1;\n',
    says: 'plain-comments',
  },
  {
    name: 'a forbidden import',
    command: ['lint'],
    path: DOMAIN,
    text: "import 'hono';\n",
    says: `error domain: ${DOMAIN}`,
  },
  {
    name: 'a figure above its bound',
    command: ['figures'],
    path: DOMAIN,
    text: '\n'.repeat(100_000),
    says: 'more than its bound',
  },
];

const directory = await makeRunDirectory();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => void directory.remove().finally(() => process.exit(1)));
}
try {
  const copy = join(directory.path, 'checkout');
  await copyCheckout(copy);
  for (const { name, ...harmless } of HARMLESS) {
    const { code, output } = await runWith(copy, harmless);
    evaluate(name, code === 0, `fails, which the faults below must not be blamed for:\n${output}`);
  }
  for (const { name, says, report = false, ...fault } of FAULTS) {
    const { code, output } = await runWith(copy, fault);
    evaluate(name, code !== 0, `passes: ${fault.command.join(' ')} exits 0.\n${output}`);
    evaluate(`${name}, which is named`, output.includes(says), `("${says}"):\n${output}`);
    if (report) evaluate(`${name}, by its report`, !passesByReport(copy), 'passes scripts/count-tests.mjs.');
  }
} finally {
  await directory.remove();
}

/** The arguments for `pnpm` that run only the program of a script whose command line starts with `beginning`. */
function link(script, beginning) {
  const program = scripts[script].split(' && ').find((one) => one.startsWith(beginning));
  if (program === undefined) throw new Error(`pnpm ${script} does not run ${beginning}.`);
  return ['exec', ...program.split(' ')];
}

function aTest(statement) {
  return `import { expect, it } from 'vitest';\n\nit('is planted', () => {\n  ${statement};\n  expect.anything();\n});\n`;
}

function evaluate(name, holds, complaint) {
  console.log(holds ? `ok   ${name}` : `FAIL ${name} ${complaint}`);
  if (!holds) process.exitCode = 1;
}

/** Also copies the links in all node_modules, so that those to workspace packages lead into the copy. */
async function copyCheckout(copy) {
  const left = new Set(['.git', 'node_modules', 'reports', 'data']);
  // Files of a concurrent build.
  const isBuilt = (name) => name === 'dist' || name.includes('.bundled_');
  await mkdir(copy, { mode: 0o700 });
  for (const name of await readdir(root)) {
    if (left.has(name)) continue;
    await cp(join(root, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !isBuilt(basename(path)) && basename(path) !== 'data',
    });
  }
  const modules = 'node_modules';
  await mkdir(join(copy, modules));
  for (const name of await readdir(join(root, modules))) {
    const [from, to] = [join(root, modules, name), join(copy, modules, name)];
    // These are the store of all packages and the programs. The rest are links.
    if (name.startsWith('.')) await symlink(from, to);
    else await cp(from, to, { recursive: true, verbatimSymlinks: true });
  }
  // `pnpm types` gets the list of pages from git.
  execFileSync('git', ['init', '--quiet'], { cwd: copy });
  execFileSync('git', ['add', '--all'], { cwd: copy });
}

async function runWith(copy, { command, path, text }) {
  const file = join(copy, path);
  await writeFile(file, text);
  try {
    return await run(copy, command);
  } finally {
    await rm(file);
  }
}

/** Whether `.ci/run` would pass if the command had exited with 0. */
function passesByReport(copy) {
  const count = join(root, 'scripts/count-tests.mjs');
  return spawnSync(process.execPath, [count, 'passed', join(copy, 'reports/test.json')]).status === 0;
}

/** Without an install, which would change files that the copy shares with the checkout. */
function run(cwd, command) {
  const args = ['--yes', 'pnpm@12', '--config.enable-pre-post-scripts=false', ...command];
  const env = { ...process.env, NO_COLOR: '1', CI: 'true' };
  return new Promise((resolve) => {
    execFile('npx', args, { cwd, env, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), output: `${stdout}${stderr}` });
    });
  });
}
