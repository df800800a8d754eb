import { cp } from 'node:fs/promises';
import { defineConfig } from 'tsup';

const NODES = ['Trunkline', 'TrunklineTrigger'].map((name) => `nodes/Trunkline/${name}.node`);
const CREDENTIALS = ['credentials/TrunklineApi.credentials'];

/**
 * Builds the files that n8n loads: CommonJS, one file per class, and the icons and codex files where n8n expects them.
 */
export default defineConfig({
  entry: Object.fromEntries([...NODES, ...CREDENTIALS].map((path) => [path, `${path}.ts`])),
  format: 'cjs',
  target: 'node20.15',
  clean: true,
  // n8n Cloud installs only this package, so bundle the receiver.
  noExternal: [/^@trunkline\//],
  external: ['n8n-workflow'],
  esbuildOptions(options) {
    options.conditions = ['source'];
  },
  removeNodeProtocol: false,
  silent: true,
  async onSuccess() {
    await cp('icons', 'dist/icons', { recursive: true });
    for (const path of NODES) await cp(`${path}.json`, `dist/${path}.json`);
  },
});
