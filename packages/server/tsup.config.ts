import { builtinsWithoutRequire, writeLicences } from '../../tsup.bundled.ts';
import { library } from '../../tsup.shared.ts';

/** All in files of its own: what a server loads at its start decides how soon it is up, and in how much memory. */
export default library(['src/index.ts', 'src/cli.ts'], {
  dts: { entry: { index: 'src/index.ts' } },
  external: ['#node-version', '@trunkline/gateway-baileys', 'pg-native'],
  esbuildPlugins: [builtinsWithoutRequire],
  esbuildOptions(options) {
    options.conditions = ['source'];
    options.legalComments = 'inline';
  },
  minify: true,
  sourcemap: false,
  metafile: true,
  onSuccess: () => writeLicences('dist/metafile-esm.json', 'dist'),
});
