import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { builtinsWithoutRequire, writeLicences } from '../../tsup.bundled.ts';
import { SCALAR_FILE } from './derive/scalar.ts';
import { library, refusalInOneLine } from '../../tsup.shared.ts';

/** The dashboard's prebuilt pages. From the sources, a page would be built when it is first opened. */
const builtDashboard: Plugin = {
  name: 'built-dashboard',
  setup({ onResolve }) {
    onResolve({ filter: /^#assets$/ }, () => ({ path: inDashboard('assets.js') }));
  },
};

function inDashboard(file: string): string {
  return fileURLToPath(new URL(`../dashboard/dist/${file}`, import.meta.url));
}

/** Writes the script of the API's reference, and the module that reads it. */
async function writeScalar(directory: string): Promise<void> {
  await copyFile(SCALAR_FILE, join(directory, 'scalar-standalone.js'));
  const module = `import { readFile } from 'node:fs/promises';
export const scalar = () => readFile(new URL('scalar-standalone.js', import.meta.url));
`;
  await writeFile(join(directory, 'scalar.js'), module);
  await copyFile('scalar-licenses.txt', join(directory, 'scalar-licenses.txt'));
}

/**
 * Every module is a separate file, because the modules loaded at a server's start determine how soon it is up and how
 * much memory it takes.
 */
export default library(['src/index.ts', 'src/cli.ts'], {
  dts: { entry: { index: 'src/index.ts' } },
  external: ['#node-version', '#scalar', '@trunkline/gateway-baileys', 'pg-native'],
  esbuildPlugins: [builtinsWithoutRequire, builtDashboard],
  plugins: [refusalInOneLine('cli.js', 'trunkline')],
  esbuildOptions(options) {
    options.conditions = ['source'];
    options.legalComments = 'inline';
    options.keepNames = true; // the log includes the classes of errors
  },
  minify: true,
  sourcemap: false,
  metafile: true,
  async onSuccess() {
    await writeLicences('dist/metafile-esm.json', 'dist');
    await writeScalar('dist');
    await copyFile(inDashboard('app-licenses.md'), 'dist/dashboard-licenses.md');
  },
});
