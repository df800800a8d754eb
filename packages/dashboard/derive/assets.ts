import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/**
 * The built files for browsers, by path below the dashboard's root. Names below `assets/` contain a hash, so their
 * content never changes. In `index.html`, the server replaces `<base href="./" />` with the path from the requested
 * page to the root.
 */
export type BuiltFiles = Readonly<Record<string, BuiltFile>>;

interface BuiltFile {
  readonly type: string;
  /** The content compressed with gzip, as base64. */
  readonly gzip: string;
}

const ROOT = join(import.meta.dirname, '..');
/** A change to any of these triggers a new build. */
const SOURCES = [
  'app',
  'derive',
  'package.json',
  '../http/src/client',
  '../../internal/option-names/src',
  '../../pnpm-lock.yaml',
];
const KEPT_DAYS = 7;

let loading: Promise<BuiltFiles> | null = null;

/**
 * In a clone, stands in for the published package's `dist/assets.js`. Builds the files if they are missing, into a
 * folder named by the hash of their sources, so that concurrent starts use the same folder.
 */
export function loadAssets(): Promise<BuiltFiles> {
  loading ??= builtFromSources().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

async function builtFromSources(): Promise<BuiltFiles> {
  const folder = await folderFor(await hashOf(SOURCES));
  const module = join(folder, 'assets.mjs');
  if (!existsSync(module)) await buildInto(module);
  const built: { loadAssets(): Promise<BuiltFiles> } = await import(pathToFileURL(module).href);
  return built.loadAssets();
}

async function buildInto(module: string): Promise<void> {
  const program = join(import.meta.dirname, 'build-app.ts');
  try {
    await promisify(execFile)(process.execPath, ['--conditions=source', program, module], {
      cwd: ROOT,
      env: { ...process.env, NODE_OPTIONS: '' },
      timeout: 120_000,
    });
  } catch (cause) {
    throw new Error(
      'The dashboard could not be built from its sources: see the cause. Run `pnpm --filter @trunkline/dashboard build` to see it alone.',
      { cause },
    );
  }
}

/** A folder below node_modules, which other tools ignore, or a temporary one if it cannot be created. */
async function folderFor(hash: string): Promise<string> {
  const builds = join(ROOT, 'node_modules', '.cache', 'trunkline-dashboard');
  const folder = join(builds, hash);
  try {
    await mkdir(folder, { recursive: true });
    await dropOld(builds, hash);
    return folder;
  } catch {
    return mkdtemp(join(tmpdir(), 'trunkline-dashboard-'));
  }
}

async function dropOld(builds: string, current: string): Promise<void> {
  const before = Date.now() - KEPT_DAYS * 86_400_000;
  for (const name of await readdir(builds)) {
    if (name === current) continue;
    const { mtimeMs } = await stat(join(builds, name));
    if (mtimeMs < before) await rm(join(builds, name), { recursive: true, force: true });
  }
}

async function hashOf(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of await filesIn(join(ROOT, path))) {
      hash
        .update(file.slice(ROOT.length))
        .update('\0')
        .update(await readFile(file))
        .update('\0');
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesIn(path: string): Promise<readonly string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
