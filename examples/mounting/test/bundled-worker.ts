import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';

/** Bundled into one file, as wrangler does under `nodejs_compat`. */
export async function bundledWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    logLevel: 'silent',
    format: 'esm',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['source', 'workerd', 'worker', 'browser'],
    plugins: [nodeModules],
  });
  return outputFiles[0]?.text ?? '';
}

/** workerd provides Node's modules only with the prefix `node:`, and has no `require`: calls to it become imports. */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup({ onResolve, onLoad }) {
    const bare = new RegExp(
      `^(node:)?(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
    );
    onResolve({ filter: bare }, ({ path, kind }) => {
      const name = `node:${path.replace(/^node:/, '')}`;
      return kind === 'require-call' ? { path: name, namespace: 'required' } : { path: name, external: true };
    });
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `import required from '${path}'; module.exports = required;`,
    }));
  },
};
