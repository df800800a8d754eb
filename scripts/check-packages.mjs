// Packs every public package as it would be published and checks it from outside:
// - publint --strict and attw;
// - a consumer outside the workspace that imports it and compiles against it;
// - every entry on an older Node, if the machine has one;
// - a program that is bundled into one file and runs where nothing is installed;
// - n8n's nodes, loaded as n8n loads them;
// - the gateway of examples/gateway with the published tests of gateways;
// - the server from npm alone in an empty folder;
// - the steps of deploy/Dockerfile, and a release to a registry on this machine.
// Run by `pnpm check:packages`, after a build. Prints one line per package, exits 1 on any problem.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { NEEDED_NODE, nodeVersionProblem } from '../internal/node-version/src/node-version.js';
import { freePort } from '../internal/test-support/src/free-port.ts';
import { runDockerfile } from './dockerfile-steps.mjs';
import { publishedPackages, releaseVersion } from './release/published-packages.ts';

const root = dirname(import.meta.dirname);
const RECEIVER = join(root, 'examples/receiver/src/main.ts');
const run = promisify(execFile);
const work = await mkdtemp(join(tmpdir(), 'trunkline-packages-'));
const published = publishedPackages().map(({ folder, manifest }) => ({
  name: manifest.name,
  path: join(root, folder),
  isForN8n: manifest.n8n !== undefined,
}));
// n8n loads files by path, so its package cannot be imported.
const packages = published.filter(({ isForN8n }) => !isForN8n);

try {
  const problems = new Map();
  for (const pkg of published.filter(({ isForN8n }) => isForN8n))
    problems.set(pkg.name, await loadAsN8n(pkg));
  for (const pkg of packages) problems.set(pkg.name, await inspect(pkg));
  for (const pkg of packages) problems.get(pkg.name).push(...(await consume(pkg)));
  const oldNodes = await findOldNodes();
  for (const pkg of packages) problems.get(pkg.name).push(...(await refuse(pkg, oldNodes)));
  problems.set('a bundle of them', await runBundle());
  problems.set('examples/gateway on them', await runGatewayContract());
  problems.set('examples/server', await refuseToStart(oldNodes));
  problems.set('a message from nothing', await sendFromNothing(process.env.PATH));
  problems.set(`the same on Node.js ${NEEDED_NODE}`, await sendFromNothing(await pathOfOldestNode()));
  problems.set('deploy/Dockerfile, step by step', await runImage());
  problems.set('a release', await rehearseRelease());

  for (const [name, found] of problems) {
    console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${name}`);
    for (const problem of found) console.log(problem.replaceAll(/^/gm, '       '));
    if (found.length > 0) process.exitCode = 1;
  }
  if (oldNodes.length === 0) console.log(`No Node below ${NEEDED_NODE} is at hand: not checked on one.`);
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Packs the package, runs the linters on the tarball, and unpacks it into the consumer's node_modules. */
async function inspect(pkg) {
  const tarball = join(work, `${pkg.name.replaceAll(/\W/g, '-')}.tgz`);
  const problem = await attempt('pnpm', ['pack', '--out', tarball], pkg.path);
  if (problem !== undefined) return [problem];

  const target = join(work, 'node_modules', pkg.name);
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);

  return [
    await attempt('publint', ['run', tarball, '--strict']),
    pkg.isForN8n ? undefined : await attempt('attw', [tarball, '--profile', 'esm-only']),
    ...(await contents(target, pkg)),
  ].filter((found) => found !== undefined);
}

/** Loads each class with `require`, with only n8n-workflow installed, and checks that the files it refers to exist. */
async function loadAsN8n(pkg) {
  const problems = await inspect(pkg);
  await borrow('n8n-workflow', pkg.path);
  const installed = join(work, 'node_modules', pkg.name);
  const manifest = await readFile(join(installed, 'package.json'), 'utf8').catch(() => '{ "n8n": {} }');
  const { n8n, dependencies } = JSON.parse(manifest);
  const { nodes = [], credentials = [] } = n8n;
  if (nodes.length === 0 || credentials.length === 0) problems.push('it names no nodes or no credentials');
  if (dependencies !== undefined) problems.push('it has dependencies, which n8n Cloud does not allow');
  const program = `
    const { existsSync } = require('node:fs');
    const { basename, dirname, join } = require('node:path');
    for (const path of ${JSON.stringify([...nodes, ...credentials])}) {
      const file = join(${JSON.stringify(installed)}, path);
      const loaded = new (require(file)[basename(path).split('.')[0]])();
      const { light, dark } = (loaded.description ?? loaded).icon;
      const beside = [light, dark].map((icon) => join(dirname(file), icon.replace('file:', '')));
      if (loaded.description) beside.push(file.replace(/js$/, 'json'));
      for (const needed of beside) if (!existsSync(needed)) throw new Error(path + ' names ' + needed);
    }`;
  const problem = await attempt('node', ['--input-type=commonjs', '-e', program]);
  return problem === undefined ? problems : [...problems, problem];
}

async function contents(target, { isForN8n }) {
  const manifest = await readFile(join(target, 'package.json'), 'utf8');
  const { repository, dependencies = {} } = JSON.parse(manifest);
  const files = await readdir(target);
  return [
    /workspace:|catalog:/.test(manifest) &&
      'the published package.json still has workspace: or catalog: versions',
    /"source"/.test(manifest) && 'the published package.json still has the "source" condition',
    !/^git\+https:\/\/\S+\.git$/.test(repository?.url ?? '') &&
      'the published package.json does not say where the repository is',
    dependencies['@trunkline/option-names'] !== undefined &&
      '@trunkline/option-names is private: it must be a devDependency, which is bundled',
    files.includes('src') && 'the tarball has src in it',
    !files.includes('LICENSE') && 'the tarball has no LICENSE',
    !files.includes('README.md') && 'the tarball has no README.md',
    ...(isForN8n ? [] : await declaredTwice(target)),
  ].filter((found) => found !== false);
}

/**
 * Entry points share their declarations through chunks. With separate copies, an error from one entry point would not
 * be an instance of another's class, and types with private members would be incompatible.
 */
async function declaredTwice(target) {
  const declarations =
    /^(?:export |declare |abstract )*((?:class|interface|enum|type) \w+|(?:var|const) \w+(?= = class|: unique symbol))/gm;
  const places = new Map();
  for (const path of await readdir(join(target, 'dist'), { recursive: true })) {
    const [kind] = /\.js$|\.d\.ts$/.exec(path) ?? [];
    if (kind === undefined || path.startsWith('bundled')) continue;
    const text = await readFile(join(target, 'dist', path), 'utf8');
    for (const [, declaration] of text.matchAll(declarations)) {
      const key = `${declaration} (${kind})`;
      places.set(key, [...(places.get(key) ?? []), path]);
    }
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([declaration, paths]) => `${declaration} is declared more than once: ${paths.join(', ')}`);
}

/**
 * Imports every entry point under Node, and compiles against it with both module resolutions, `nodenext` and `bundler`.
 */
async function consume(pkg) {
  const installed = join(work, 'node_modules', pkg.name);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8').catch(() => '{}'));
  const names = Object.keys(manifest.exports ?? {}).map((subpath) => join(pkg.name, subpath));
  if (names.length === 0) return ['nothing to import'];

  const peers = Object.keys(manifest.peerDependencies ?? {});
  await borrow('@types/node', root);
  await borrowDependencies(pkg);
  // An entry point named after a peer is only for users of the peer, whose own types may have errors.
  const ofPeers = names.filter((name) => peers.includes(basename(name)));
  const own = names.filter((name) => !ofPeers.includes(name));
  await writeFile(join(work, 'package.json'), '{ "type": "module" }');
  await writeFile(join(work, 'consumer.mjs'), importing(names));
  await writeFile(join(work, 'consumer.mts'), importing(own));
  await writeFile(join(work, 'consumer-of-peers.mts'), importing(ofPeers));

  const platform = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024', '--types', 'node'];
  const compile = async (module, moduleResolution) => {
    const options = [...platform, '--module', module, '--moduleResolution', moduleResolution];
    return [
      await attempt('tsc', [...options, '--skipLibCheck', 'false', 'consumer.mts']),
      await attempt('tsc', [...options, '--skipLibCheck', 'true', 'consumer-of-peers.mts']),
    ];
  };
  const found = [
    await attempt('node', ['consumer.mjs']),
    ...(await compile('nodenext', 'nodenext')),
    ...(await compile('esnext', 'bundler')),
  ];
  return found.filter((problem) => problem !== undefined);
}

function importing(names) {
  const lines = names.map((name, index) => `import * as m${index} from '${name}';\nvoid m${index};\n`);
  return lines.length === 0 ? 'export {};\n' : lines.join('');
}

/** Every Node in the PATH that is too old for the packages. */
async function findOldNodes() {
  const found = [];
  for (const directory of new Set((process.env.PATH ?? '').split(delimiter))) {
    const execPath = join(directory, 'node');
    const { stdout: version } = await run(execPath, ['-p', 'process.versions.node']).catch(() => ({}));
    if (version === undefined) continue;
    const sentence = nodeVersionProblem({ process: { execPath, versions: { node: version.trim() } } });
    if (sentence !== undefined) found.push({ execPath, sentence: sentence.replace(/ \(.*/, '') });
  }
  return found;
}

/**
 * On a Node that is too old, each entry point has to throw `sentence`, and each command has to print only `sentence`.
 */
async function refuse(pkg, oldNodes) {
  const installed = join(work, 'node_modules', pkg.name);
  const { exports = {}, bin = {} } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const programs = [
    ...Object.keys(exports).map((subpath) => ({
      args: ['--input-type=module', '-e', `import '${join(pkg.name, subpath)}'`],
      isRefusal: (output, sentence) => output.includes(`Error: ${sentence}`),
    })),
    ...Object.entries(bin).map(([name, path]) => ({
      args: [join(installed, path)],
      isRefusal: (output, sentence) => {
        const [, ...lines] = output.split('\n'); // the first line is the command itself
        return lines.length === 1 && lines[0].startsWith(`${name}: ${sentence}`);
      },
    })),
  ];
  const problems = [];
  for (const { execPath, sentence } of oldNodes) {
    for (const { args, isRefusal } of programs) {
      const output = await attempt(execPath, args);
      if (output === undefined || !isRefusal(output, sentence)) {
        problems.push(`${execPath} ${args.join(' ')} does not say "${sentence}":\n${output ?? 'it runs'}`);
      }
    }
  }
  return problems;
}

/** Even a Node that cannot run TypeScript must be able to read the server's first file. */
async function refuseToStart(oldNodes) {
  const problems = [];
  for (const { execPath, sentence } of oldNodes) {
    const output = await attempt(execPath, ['--conditions=source', join(root, 'examples/server/start.js')]);
    if (!output?.includes(`\ntrunkline: ${sentence}`)) {
      problems.push(`start.js does not say "${sentence}":\n${output ?? 'it runs'}`);
    }
  }
  return problems;
}

/** A PATH that begins with the oldest supported Node, installed from npm. Its built-in SQLite differs from later ones. */
async function pathOfOldestNode() {
  const folder = join(work, 'oldest-node');
  await mkdir(folder);
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `node@${NEEDED_NODE}.0`]);
  const directory = join(folder, 'node_modules/.bin');
  const { stdout: version } = await run(join(directory, 'node'), ['-p', 'process.versions.node']);
  if (version.trim() !== `${NEEDED_NODE}.0`) throw new Error(`npm brought Node.js ${version} instead.`);
  return [directory, process.env.PATH].join(delimiter);
}

/** A user with only npm and an empty folder must be able to send a message that is read, in less than two minutes. */
async function sendFromNothing(path) {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-from-nothing-'));
  const began = performance.now();
  const env = { PATH: path, HOME: folder, npm_config_cache: join(folder, '.npm') };
  const npx = (...args) => run('npx', ['--no-install', 'trunkline', ...args], { cwd: folder, env });
  let server;
  try {
    await run('npm', ['init', '--yes'], { cwd: folder, env });
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(work, 'trunkline.tgz')], {
      cwd: folder,
      env,
    });
    await npx('init', '--port', '0');
    server = spawn(join(folder, 'node_modules/.bin/trunkline'), ['serve'], {
      cwd: folder,
      env: { ...env, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const printed = [];
    for await (const line of createInterface({ input: server.stdout })) {
      printed.push(line);
      if (line.startsWith('API key')) break;
    }
    Object.assign(env, {
      TRUNKLINE_URL: /http:\/\/[\d.:]+/.exec(printed.join('\n'))?.[0],
      TRUNKLINE_API_KEY: JSON.parse((await npx('keys', 'create', '--json')).stdout).data.token,
    });
    const hasDashboard = await isDashboardServed(`${env.TRUNKLINE_URL}/dashboard/`);
    await npx('connect', '--scan');
    const webhooks = await listenFromNothing(folder, env);
    const { stdout } = await npx('send', '+1 555 0123', 'Hello', '--json');
    const status = JSON.parse(stdout.trimEnd().split('\n').at(-1)).data.status;
    const isVerified = await webhooks.isVerified('message.read');
    const seconds = (performance.now() - began) / 1000;
    return [
      !hasDashboard && 'the dashboard has no page, or its page no script',
      !isVerified && 'no verified webhook arrived',
      status !== 'read' && `the message is ${status}`,
      seconds > 120 && `it took ${Math.round(seconds)} s`,
    ].filter((problem) => problem !== false);
  } catch (error) {
    return [`${error.message}\n${error.stderr ?? ''}`];
  } finally {
    if (server?.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the page is served, with its script as JavaScript. */
async function isDashboardServed(url) {
  const page = await fetch(url);
  const script = /<script[^>]* src="([^"]+)"/.exec(await page.text())?.[1];
  if (!page.ok || script === undefined) return false;
  const response = await fetch(new URL(script, url));
  return response.ok && /javascript/.test(response.headers.get('content-type') ?? '');
}

/** Starts the receiver of the examples, and `trunkline listen`, which posts events to the receiver. */
async function listenFromNothing(folder, env) {
  const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const receiver = spawn(process.execPath, ['--conditions=source', RECEIVER], {
    env: { PATH: env.PATH, WEBHOOK_SECRET, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  const url = /http:\S+/.exec((await lines.next()).value)?.[0];
  const listen = spawn(
    join(folder, 'node_modules/.bin/trunkline'),
    ['listen', '--forward-to', `${url}/hook`],
    { cwd: folder, env: { ...env, WEBHOOK_SECRET }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  for await (const line of createInterface({ input: listen.stderr })) if (line.startsWith('Waiting')) break;
  return {
    /** Whether the receiver prints an event of this type, within half a minute. */
    async isVerified(type) {
      const late = setTimeout(() => receiver.kill(), 30_000);
      let next = await lines.next();
      while (!next.done && !next.value.startsWith(type)) next = await lines.next();
      clearTimeout(late);
      listen.kill('SIGINT');
      receiver.kill();
      return !next.done;
    },
  };
}

/** The image's server must start, become healthy, write only to its volume, and end cleanly. */
async function runImage() {
  const image = await mkdtemp(join(tmpdir(), 'trunkline-image-'));
  const tarballs = join(image, 'tarballs');
  let server;
  try {
    await mkdir(tarballs);
    await copyFile(join(work, 'trunkline.tgz'), join(tarballs, 'trunkline.tgz'));
    const npm = { npm_config_offline: 'true', npm_config_cache: join(image, '.npm') };
    const container = await runDockerfile(join(root, 'deploy/Dockerfile'), {
      work: image,
      context: { tarballs },
      env: npm,
    });
    const inRoot = (path) => (path.startsWith('/') ? container.root + path : path);
    const temporary = join(container.root, 'tmp');
    await mkdir(temporary);
    const env = {
      ...container.env,
      PATH: process.env.PATH,
      TMPDIR: temporary,
      HOST: '127.0.0.1',
      // The health check needs the port before the server runs.
      PORT: String(await freePort()),
      DATA_DIR: inRoot(container.env.DATA_DIR),
    };
    const filesBefore = await readdir(container.root, { recursive: true });
    const [program, ...args] = container.command.map(inRoot);
    const isHealthy = async () =>
      (await attempt(container.healthcheck[0], container.healthcheck.slice(1), container.root, env)) ===
      undefined;
    if (await isHealthy()) return ['the health check passes while no server runs'];
    server = spawn(program, args, {
      cwd: inRoot(container.cwd),
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(server, 'exit');
    const deadline = performance.now() + 60_000;
    while (server.exitCode === null && performance.now() < deadline && !(await isHealthy()));
    const wasHealthy = await isHealthy();
    server.kill('SIGTERM');
    const [code] = await ended;
    const written = (await readdir(container.root, { recursive: true })).filter(
      (file) => !filesBefore.includes(file) && !inRoot(`/${file}`).startsWith(env.DATA_DIR),
    );
    return [
      !wasHealthy && 'the server did not get well within a minute',
      code !== 0 && `the server ended with ${code} after SIGTERM`,
      /^[1-9]\d*:/.test(container.user ?? '') ||
        `its user is ${container.user}: a number other than 0 is needed`,
      written.length > 0 && `the server wrote outside of its volume: ${written.join(', ')}`,
    ].filter((problem) => typeof problem === 'string');
  } catch (error) {
    return [`${error.message}\n${error.stderr ?? ''}`];
  } finally {
    server?.kill('SIGKILL');
    await rm(image, { recursive: true, force: true });
  }
}

/**
 * Runs `pnpm release:publish` with a registry on this machine: a dry run, a release that breaks off, and the same
 * release again. Without provenance, because only CI can prove where a package was built.
 */
async function rehearseRelease() {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-release-'));
  const names = published.map(({ name }) => name);
  const registry = await startRegistry({ refuseOnce: names[4] });
  await writeFile(join(folder, 'npmrc'), `//${new URL(registry.url).host}/:_authToken=rehearsal\n`);
  const env = {
    ...process.env,
    npm_config_registry: registry.url,
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_cache: join(folder, 'cache'),
  };
  const publish = (...options) =>
    run('node', [join(root, 'scripts/release/publish.ts'), ...options], { cwd: root, env }).then(
      ({ stdout }) => stdout.trimEnd().split('\n'),
      ({ stderr }) => [`failed: ${stderr}`],
    );
  const say = (what) => (name) => `${name}@${releaseVersion()}: ${what}`;
  const differs = (step, found, wanted) =>
    found.join('\n') !== wanted.join('\n') &&
    `${step}:\n${found.join('\n')}\ninstead of\n${wanted.join('\n')}`;
  try {
    const dry = await publish('--dry-run');
    const sentDry = registry.published.map(({ name }) => name);
    const [brokenOff] = await publish('--provenance=false');
    const continued = await publish('--provenance=false');
    return [
      differs('a dry run', dry, names.map(say('would be published'))),
      differs('a dry run sends', sentDry, []),
      !brokenOff.startsWith('failed: ') && `a refused package does not end the release: ${brokenOff}`,
      differs('a continued release', continued, [
        ...names.slice(0, 4).map(say('is already published')),
        ...names.slice(4).map(say('published')),
      ]),
      differs(
        'the registry got',
        registry.published.map(({ name, access }) => `${name} ${access}`),
        names.map((name) => `${name} public`),
      ),
      ...registry.published.map(lacksADependency),
    ].filter((problem) => typeof problem === 'string');
  } finally {
    registry.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The dependencies that were published after the package; false if there are none. */
function lacksADependency({ name, versions }, index, inOrder) {
  const [{ dependencies, peerDependencies }] = Object.values(versions);
  const there = inOrder.slice(0, index).map((earlier) => earlier.name);
  const missing = published.filter(
    (other) => other.name in { ...dependencies, ...peerDependencies } && !there.includes(other.name),
  );
  return missing.length > 0 && `${name} is published before ${missing.map((other) => other.name).join(', ')}`;
}

/** Stores packages, and refuses one of them the first time. */
async function startRegistry({ refuseOnce }) {
  const documents = [];
  let refused = refuseOnce;
  const respond = (method, name, body) => {
    const found = documents.find((document) => document.name === name);
    if (method !== 'PUT') return found === undefined ? [404, { error: 'Not found' }] : [200, found];
    if (name === refused) {
      refused = undefined;
      return [403, { error: 'Refused once' }];
    }
    documents.push(JSON.parse(body));
    return [201, { ok: true }];
  };
  const server = createHttpServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const name = decodeURIComponent(request.url.slice(1));
      const [status, body] = respond(request.method, name, Buffer.concat(chunks).toString());
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    published: documents,
    close: () => server.close(),
  };
}

/** The bundle is made with default options, and runs without node_modules. */
async function runBundle() {
  const program = join(work, 'program.mjs');
  await copyFile(join(root, 'scripts/bundled-program.mjs'), program);
  const alone = await mkdtemp(join(tmpdir(), 'trunkline-bundled-'));
  try {
    const bundle = join(alone, 'bundle.mjs');
    const options = ['--bundle', '--platform=node', '--format=esm', '--log-level=warning'];
    const problem =
      (await attempt('esbuild', [...options, program, `--outfile=${bundle}`])) ??
      (await attempt('node', [bundle], alone));
    return problem === undefined ? [] : [problem];
  } finally {
    await rm(alone, { recursive: true, force: true });
  }
}

/** Runs the contract as a gateway's author would, with the packed packages. */
async function runGatewayContract() {
  const example = join(work, 'gateway');
  for (const path of ['src', 'test/support', 'test/contract.test.ts', 'test/silence.test.ts'])
    await cp(join(root, 'examples/gateway', path), join(example, path), { recursive: true });
  // Must be the vitest that the contract imports: another copy would not know of the running test.
  const vitest = join(work, 'node_modules/vitest/vitest.mjs');
  const problem = await attempt('node', [vitest, 'run', '--root', example], example);
  return problem === undefined ? [] : [problem];
}

/** Links the package's dependencies as an installation would, including those of our packages among them. */
async function borrowDependencies(pkg) {
  const manifest = JSON.parse(await readFile(join(work, 'node_modules', pkg.name, 'package.json'), 'utf8'));
  for (const dependency of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const own = packages.find(({ name }) => name === dependency);
    await (own ? borrowDependencies(own) : borrow(dependency, pkg.path));
  }
}

/** Links a third-party dependency for the consumer. Our own packages are already unpacked there. */
async function borrow(dependency, from) {
  const link = join(work, 'node_modules', dependency);
  await mkdir(dirname(link), { recursive: true });
  await symlink(join(from, 'node_modules', dependency), link).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function attempt(command, args, cwd = work, env = process.env) {
  try {
    await run(command, args, { cwd, env });
    return undefined;
  } catch (error) {
    const output = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim();
    return `${command} ${args.join(' ')}\n${output === '' ? error.message : output}`;
  }
}
