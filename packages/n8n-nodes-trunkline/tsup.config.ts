import { cp } from 'node:fs/promises';
import { defineConfig } from 'tsup';

const NODES = ['Trunkline', 'TrunklineTrigger'].map((name) => `nodes/Trunkline/${name}.node`);
const CREDENTIALS = ['credentials/TrunklineApi.credentials'];

/** As n8n loads it: CommonJS, a file for each class, and icons and codex files where n8n looks for them. */
export default defineConfig({
  entry: Object.fromEntries([...NODES, ...CREDENTIALS].map((path) => [path, `${path}.ts`])),
  format: 'cjs',
  target: 'node20.15',
  clean: true,
  // Nothing is installed beside a node on n8n Cloud: the receiver's verification comes with it.
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
