import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A program to start, and what it needs to be told. */
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

/** Of the browser from npm, in its folder. */
const FONTS = 'fonts.conf';

const run = promisify(execFile);

/** The browser of this machine: `CHROME_PATH`, an installed one, or the one from npm. Rejects if none starts, and says why. */
export async function findExecutable(): Promise<Executable> {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH !== undefined) return started({ path: CHROME_PATH, environment: {} });
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed !== undefined) return started({ path: installed, environment: {} });
  const directory = await unpacked();
  const path = join(directory, 'chromium');
  const fonts = { FONTCONFIG_FILE: join(directory, FONTS) };
  // The libraries of the package are for a machine without its own: a newer one may not get on with all of them.
  return started({ path, environment: fonts }).catch(() =>
    started({ path, environment: { ...fonts, LD_LIBRARY_PATH: join(directory, 'al2023', 'lib') } }),
  );
}

async function started(executable: Executable): Promise<Executable> {
  const { path, environment } = executable;
  await run(path, ['--version'], { env: { ...process.env, ...environment }, timeout: 60_000 });
  return executable;
}

/**
 * The browser from npm, unpacked once for all test processes of this user that have this temporary directory. It takes
 * seconds, in which one of them may be killed: what is there under the name is whole.
 */
async function unpacked(): Promise<string> {
  const directory = join(tmpdir(), `trunkline-chromium-${await version()}-with-fonts-${userInfo().uid}`);
  if (existsSync(directory)) return directory;
  const draft = await mkdtemp(`${directory}-`);
  const program = fileURLToPath(new URL('unpack.ts', import.meta.url));
  await run(process.execPath, [program], { env: { ...process.env, TMPDIR: draft }, timeout: 120_000 });
  await writeFile(join(draft, FONTS), fontsConfig(directory));
  try {
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(directory)) throw error; // another process was faster otherwise
  }
  return directory;
}

/**
 * The configuration in the package looks for fonts elsewhere. Without any, the browser paints no text, and crashes on a
 * character that it asks other fonts for. The machine's own have what is missing in those of the package.
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
  const text = await readFile(new URL('../package.json', import.meta.resolve('@sparticuz/chromium')), 'utf8');
  const content: { readonly version?: unknown } = JSON.parse(text);
  return String(content.version);
}
