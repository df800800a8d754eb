// Installs what a script needs, on the machine's own Node, which may be too old for the sources.
// `node scripts/install.mjs` installs everything. With `start`, it installs what the server imports, or everything if
// that was installed before, and prints the path of a Node that can run the sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nodeVersionProblem } from '../internal/node-version/src/node-version.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (path) => `${root}${path}`;

const problem = nodeVersionProblem(globalThis);
/**
 * Whether internal/node includes a Node for this platform. On other platforms, the dependencies of the tests include
 * one.
 */
const isNodeBrought = process.platform === 'linux' && ['arm64', 'x64'].includes(process.arch);
const isAllInstalled = existsSync(at('node_modules/vitest')) || (problem && !isNodeBrought);
if (process.argv[2] === 'start') {
  installForStart();
  console.log(nodePath());
} else {
  if (!existsSync(at('node_modules')))
    console.error('Installing what the tests need, 1.3 GB: a minute or more.');
  install();
}

function installForStart() {
  // The root's dependencies are those that the server imports, as test/start-dependencies.test.ts checks.
  const projects = ['trunkline-workspace', ...(problem ? ['@trunkline/node'] : [])];
  const mark = at('node_modules/.installed-for-start');
  const wanted = createHash('sha256')
    .update(readFileSync(at('pnpm-lock.yaml')))
    .update(isAllInstalled ? 'all' : projects.join())
    .digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  if (isAllInstalled) {
    install();
  } else {
    console.error(
      `Installing what the server needs, ${problem ? '370 MB with Node 24' : '240 MB'}: ten seconds to a minute.`,
    );
    install('--prod', '--frozen-lockfile', ...projects.map((name) => `--filter=${name}`));
    // In this file, pnpm records that everything is installed: it would later not install the tests' dependencies.
    rmSync(at('node_modules/.pnpm-workspace-state-v1.json'), { force: true });
  }
  writeFileSync(mark, wanted);
}

function install(...args) {
  const isPnpm = process.env.npm_config_user_agent?.startsWith('pnpm/');
  const [command, ...first] = isPnpm ? ['pnpm'] : ['npx', '--yes', 'pnpm@12'];
  const { error, status } = spawnSync(command, [...first, 'install', '--loglevel=error', ...args], {
    cwd: root,
    // Standard output is for the path of Node.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (error) throw error;
  if (status !== 0) fail(status ?? 1, 'The installation failed: see above.');
}

function nodePath() {
  if (!problem) return process.execPath;
  const brought = ['node_modules/node', `internal/node/node_modules/node-linux-${process.arch}`];
  return brought.map((name) => at(`${name}/bin/node`)).find(existsSync) ?? fail(1, problem);
}

function fail(code, message) {
  console.error(`trunkline: ${message}`);
  process.exit(code);
}
