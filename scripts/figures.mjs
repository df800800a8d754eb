// Prints how large the project is, and exits 1 if a figure exceeds its bound. `--record` also writes the figures into
// docs/figures.md, as the column of the current version. Run by `pnpm figures`, and as a step of .ci/run.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesThatOneMessageMeets } from './one-message.mjs';

const root = join(import.meta.dirname, '..');
const PAGE = 'docs/figures.md';
const read = (path) => readFileSync(join(root, path), 'utf8');
const glob = (pattern) => globSync(pattern, { cwd: root }).toSorted();
const sum = (paths, count) => paths.reduce((total, path) => total + count(read(path)), 0);
const lines = (paths) => sum(paths, (text) => text.split('\n').length - 1);
const words = (paths) => sum(paths, (text) => text.split(/\s+/).filter(Boolean).length);

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const code = files.filter((path) => /\.(?:[cm]?[jt]s|tsx|sql)$/.test(path));
const isTest = (path) => /(?:^|\/)test\/|\.test\.tsx?$/.test(path);
const sources = code.filter((path) => /^(?:packages|internal|examples)\//.test(path) && !isTest(path));
const under = (pattern) => sources.filter((path) => pattern.test(path));

/**
 * Each figure with its bound, which leaves a little room above the value at the time, so that growth is noticed when it
 * happens. After a figure has fallen, lower its bound.
 */
const figures = [
  ['Lines of source', 156_200, lines(sources)],
  ['Lines of core', 35_800, lines(under(/^packages\/core\//))],
  ['Lines of the storages', 24_200, lines(under(/^packages\/storage-(?:sqlite|postgres|kit)\//))],
  ['Lines of the server', 13_300, lines(under(/^packages\/server\//))],
  ['Lines of the dashboard', 23_000, lines(under(/^packages\/dashboard\//))],
  ['Lines of tests', 103_000, lines(code.filter(isTest))],
  ['Tests in `test`', 9_900, testsInLastRun()],
  ['Words of CONTRIBUTING.md', 1_500, words(['CONTRIBUTING.md'])],
  ['Words of docs', 109_000, words(files.filter((path) => /^docs\/.*\.md$/.test(path)))],
  ['Workspace packages', 39, glob('{.,bench,{packages,internal,examples}/*}/package.json').length],
  ['npm packages that `start` needs', 190, packagesThatStartNeeds()],
  ['Storage operations', 168, storageOperations()],
  ['REST operations', 64, restOperations()],
  ['Files that one message meets', 178, (await filesThatOneMessageMeets()).length],
  ...publicNames({
    '@trunkline/core': 160,
    '@trunkline/core/edge': 3,
    '@trunkline/core/node': 23,
    '@trunkline/core/safe-url': 9,
    '@trunkline/core/sandbox': 23,
    '@trunkline/core/spi/gateway': 76,
    '@trunkline/core/spi/http': 99,
    '@trunkline/core/spi/runtime': 12,
    '@trunkline/core/spi/storage': 272,
    '@trunkline/core/testing': 13,
    dashboard: 8,
    'gateway-baileys': 4,
    'gateway-contract': 17,
    http: 132,
    mcp: 7,
    'media-s3': 6,
    nestjs: 5,
    nextjs: 3,
    receiver: 90,
    server: 8,
    'storage-contract': 80,
    'storage-kit': 90,
    'storage-postgres': 6,
    'storage-sqlite': 5,
  }),
];

const format = (value) => value?.toLocaleString('en') ?? '–';
for (const [name, bound, value] of figures) {
  console.log(`${name.padEnd(50)}${format(value).padStart(9)}  of ${format(bound)}`);
}
if (process.argv.includes('--record')) record();
for (const [name, bound, value] of figures.filter(([, limit, now]) => now > limit)) {
  console.log(
    `"${name}" is ${format(value)}, more than its bound of ${format(bound)}. Remove what is no longer needed. If the ` +
      'growth is worth it, raise the bound in scripts/figures.mjs, and say why in the commit.',
  );
  process.exitCode = 1;
}

/** The number in the report that vitest writes if `CI` is set. Undefined without a report of all tests. */
function testsInLastRun() {
  const path = 'reports/test.json';
  if (!existsSync(join(root, path))) return undefined;
  const { numTotalTests, numPendingTests, testResults } = JSON.parse(read(path));
  const testFiles = code.filter((file) => /(?<!\.long)\.test\.ts$/.test(file));
  return testResults.length < testFiles.length ? undefined : numTotalTests - numPendingTests;
}

/** The root's dependencies and all that they depend on, as the lockfile has them for Linux on x64 with glibc. */
function packagesThatStartNeeds() {
  const lockfile = read('pnpm-lock.yaml');
  const [, importers = '', packages = '', snapshots = ''] = lockfile.split(
    /^(?:importers|packages|snapshots):$/m,
  );
  const entries = (text) =>
    Array.from(text.matchAll(/^ {2}'?(.+?)'?:(?: \{\})?\n((?: {4}.*\n)*)/gm), ([, ...entry]) => entry);
  const isForLinux = (entry) =>
    [/^ {4}os: (?!.*\blinux\b)/m, /^ {4}cpu: (?!.*\bx64\b)/m, /^ {4}libc: (?!.*\bglibc\b)/m].every(
      (other) => !other.test(entry),
    );
  const installable = new Set(entries(packages).flatMap(([id, entry]) => (isForLinux(entry) ? [id] : [])));
  const dependencies = new Map(
    entries(snapshots).map(([id, entry]) => [
      id,
      Array.from(entry.matchAll(/^ {6}'?(.+?)'?: (.+)$/gm), idOf),
    ]),
  );
  const needed = new Set();
  const need = (id) => {
    if (needed.has(id) || !installable.has(id.replace(/\(.*/, ''))) return;
    needed.add(id);
    dependencies.get(id).forEach(need);
  };
  const [own = ''] = /^ {2}\.:\n {4}dependencies:\n(?: {6}.*\n)*/m.exec(importers) ?? [];
  Array.from(own.matchAll(/^ {6}'?(.+?)'?:\n.*\n {8}version: (.+)$/gm), idOf).forEach(need);
  return needed.size;
}

/** The key of a dependency in the lockfile. The version of an alias is already a key. */
function idOf([, name, version]) {
  return /^@?[^@(]+@\d/.test(version) ? version : `${name}@${version}`;
}

function storageOperations() {
  const ports = glob('packages/core/src/ports/storage/*.ts').map(read);
  return ports.flatMap((text) => text.match(/^ {2}\w+\??(?:<.*>)?\(/gm) ?? []).length;
}

function restOperations() {
  const { paths } = JSON.parse(read('packages/http/openapi.json'));
  return Object.values(paths).flatMap(Object.keys).length;
}

/** The exports of each entry point of core and of each other published package, which test/exports.test.ts lists. */
function publicNames(bounds) {
  const names = new Map();
  for (const list of glob('test/exports/*.txt').filter((path) =>
    existsSync(join(root, 'packages', basename(path, '.txt'))),
  )) {
    for (const section of read(list).trim().split('\n\n')) {
      const [specifier, ...found] = section.split('\n');
      const name = specifier.startsWith('@trunkline/core') ? specifier : basename(list, '.txt');
      names.set(name, (names.get(name) ?? 0) + found.length);
    }
  }
  return [...names].map(([name, count]) => [`Public names of ${name}`, bounds[name] ?? 0, count]);
}

/** Writes the figures into the page, in a new column or in the one that the version already has. */
function record() {
  const { version } = JSON.parse(read('packages/core/package.json'));
  const rows = read(PAGE)
    .match(/^\|.*$/gm)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const versions = rows[0].slice(1);
  const kept = new Map(rows.slice(2).map(([name, ...values]) => [name, values]));
  const place = versions.includes(version) ? versions.indexOf(version) : versions.length;
  const cells = (values, value) =>
    [...versions.keys()].map((index) => values[index] ?? '–').toSpliced(place, 1, value);
  const row = (name, values) =>
    `|${[name, ...values].map((cell) => ` ${cell} `.replace('  ', ' ')).join('|')}|`;
  const table = [
    row('', cells(versions, version)),
    `|---|${'---:|'.repeat(Math.max(versions.length, place + 1))}`,
    ...figures.map(([name, , value]) => row(name, cells(kept.get(name) ?? [], format(value)))),
  ];
  writeFileSync(join(root, PAGE), read(PAGE).replace(/(?:^\|.*\n)+/m, `${table.join('\n')}\n`));
}
