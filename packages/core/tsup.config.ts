import { bundleDependencies } from '../../tsup.bundled.ts';
import { library } from '../../tsup.shared.ts';

const entries = [
  'src/index.ts',
  'src/node/index.ts',
  'src/node/edge.ts',
  'src/spi/gateway.ts',
  'src/spi/http.ts',
  'src/spi/runtime.ts',
  'src/spi/storage.ts',
  'src/safe-url/index.ts',
  'src/testing/index.ts',
  'src/sandbox/index.ts',
];

export default library(entries, {
  onSuccess: () =>
    bundleDependencies(
      { undici: 'bundled/undici.js', 'file-type': 'bundled/file-type.js' },
      { debug: './bundled/debug.js' },
    ),
});
