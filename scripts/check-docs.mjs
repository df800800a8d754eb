// Compiles every `ts` block of the documentation against the packages' sources, and checks every link between pages.
// scripts/docs-names.d.ts declares the names that blocks assume, such as `instance`. Errors are reported at their line
// of the page.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), 'trunkline-docs-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const programs = new Map(pages.flatMap(programsOf));
linkPackages();
writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
copyFileSync(join(root, 'scripts/docs-names.d.ts'), join(folder, 'docs-names.d.ts'));
const files = ['docs-names.d.ts', ...programs.keys()];
const extended = join(root, 'tsconfig.base.json');
const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')], noUnusedLocals: false };
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: extended, compilerOptions, files }));

const tsc = join(root, 'node_modules/.bin/tsc');
const { status, stdout } = spawnSync(tsc, ['-p', folder, '--pretty', 'false'], {
  cwd: folder,
  encoding: 'utf8',
});
process.stdout.write(stdout.replaceAll(/^[\w.-]+\.ts(?=\()/gm, (file) => programs.get(file) ?? file));
const broken = [...pages.flatMap(brokenLinks), ...pages.flatMap(commandsThatAsk)];
for (const link of broken) console.log(link);
if (status === 0 && broken.length === 0) {
  console.log(`${programs.size} programs of ${pages.length} pages compile, and links lead somewhere.`);
} else process.exitCode = 1;

/** Writes each block to a file, at its line of the page. Returns the file and the page of each block. */
function programsOf(page) {
  const text = readFileSync(join(root, page), 'utf8');
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ({ 1: code, index }, number) => {
    const file = `${page.replaceAll('/', '-').replace(/\.md$/, '')}-${number + 1}.ts`;
    const linesBefore = text.slice(0, index).split('\n').length;
    writeFileSync(join(folder, file), `${'\n'.repeat(linesBefore)}${code}\nexport {};\n`);
    return [file, page];
  });
}

/** Lets the programs import the packages and their installed dependencies. */
function linkPackages() {
  const manifests = globSync('{packages,internal}/*/package.json', { cwd: root });
  const packages = manifests.map((manifest) => join(root, dirname(manifest)));
  for (const path of packages) {
    const { name } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    link(name, path);
  }
  for (const modules of [root, ...packages].map((path) => join(path, 'node_modules'))) {
    if (!existsSync(modules)) continue; // the package depends on nothing
    for (const entry of readdirSync(modules)) {
      if (entry.startsWith('.')) continue;
      const names = entry.startsWith('@')
        ? readdirSync(join(modules, entry)).map((name) => `${entry}/${name}`)
        : [entry];
      for (const name of names) link(name, join(modules, name));
    }
  }
}

function link(name, target) {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  try {
    symlinkSync(target, path);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error; // another package depends on it, too
  }
}

/** Returns the links within the repository whose file or heading does not exist. */
function brokenLinks(page) {
  const text = readFileSync(join(root, page), 'utf8');
  const links = text.matchAll(/\]\((?!\w+:)(([^)#]*)(?:#([^)]*))?)\)/g);
  return Array.from(links).flatMap(({ 1: link, 2: path, 3: anchor, index }) => {
    const target = path === '' ? join(root, page) : join(root, dirname(page), path);
    if (existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor))) return [];
    const line = text.slice(0, index).split('\n').length;
    return [`${page}(${line}): the link to ${link} leads nowhere`];
  });
}

/** As GitHub generates them. */
function anchorsOf(path) {
  const headings = readFileSync(path, 'utf8')
    .replaceAll(/^```.*?^```/gms, '')
    .matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Lines in which npx would ask before it downloads pnpm, which a script cannot answer. */
function commandsThatAsk(page) {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    line.includes('npx pnpm') ? [`${page}(${index + 1}): npx needs --yes to run pnpm without asking`] : [],
  );
}
