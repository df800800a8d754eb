import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HANG_MS } from '@trunkline/test-support';

export interface Executable {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));

/** The font configuration of the browser from npm, in the browser's folder. */
const FONTS = 'fonts.conf';

const UNPACK_MS = 10 * HANG_MS;

const run = promisify(execFile);

/**
 * The browser of this machine: `CHROME_PATH`, else an installed browser, else the one from npm. Rejects with the reason
 * if it does not start.
 */
export async function findExecutable(): Promise<Executable> {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH !== undefined) return started({ path: CHROME_PATH, environment: {} });
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed !== undefined) return started({ path: installed, environment: {} });
  const directory = await unpacked();
  const path = join(directory, 'chromium');
  const fonts = { FONTCONFIG_FILE: join(directory, FONTS) };
  // The package's libraries are for machines that lack them, and may not all work on a newer machine: try without them
  // first.
  return started({ path, environment: fonts }).catch(() =>
    started({ path, environment: { ...fonts, LD_LIBRARY_PATH: join(directory, 'al2023', 'lib') } }),
  );
}

async function started(executable: Executable): Promise<Executable> {
  const { path, environment } = executable;
  await run(path, ['--version'], { env: { ...process.env, ...environment }, timeout: HANG_MS });
  return executable;
}

/**
 * The folder of the browser from npm, unpacked once for this clone. Unpacking takes seconds, in which another run may
 * do the same or be killed, so only a complete folder gets its final name.
 */
async function unpacked(): Promise<string> {
  const directory = join(CACHE, `chromium-${await version()}`);
  if (existsSync(directory)) return directory;
  await mkdir(CACHE, { recursive: true });
  await removeOld();
  const draft = await mkdtemp(`${directory}-`);
  const program = fileURLToPath(new URL('unpack.ts', import.meta.url));
  await run(process.execPath, [program], { env: { ...process.env, TMPDIR: draft }, timeout: UNPACK_MS });
  await writeFile(join(draft, FONTS), fontsConfig(directory));
  try {
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(directory)) throw error; // otherwise, another process was faster
  }
  return directory;
}

/** Removes earlier versions, and drafts of runs that were killed. Drafts in use are younger. */
async function removeOld(): Promise<void> {
  const usedSince = Date.now() - 2 * UNPACK_MS;
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    const age = await stat(path).catch(() => null); // null if another run has removed it
    if (age !== null && age.mtimeMs < usedSince) await rm(path, { recursive: true, force: true });
  }
}

/**
 * The package's own configuration looks for fonts elsewhere. Without fonts, the browser paints no text, and crashes on
 * a character that needs another font. The machine's fonts have the characters that the package's fonts lack.
 */
function fontsConfig(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${join(directory, 'fonts', 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(directory, 'fonts-cache')}</cachedir>
  <alias binding="same"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
}

async function version(): Promise<string> {
  const path = findPackageJSON('@sparticuz/chromium', import.meta.url);
  if (path === undefined) throw new Error('The package @sparticuz/chromium is missing: run pnpm install.');
  const content: { readonly version?: unknown } = JSON.parse(await readFile(path, 'utf8'));
  return String(content.version);
}
