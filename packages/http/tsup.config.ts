import { bundleDependencies } from '../../tsup.bundled.ts';
import { library } from '../../tsup.shared.ts';

export default library(['src/index.ts', 'src/client/index.ts', 'src/msw/index.ts', 'src/spi/index.ts'], {
  onSuccess: () => bundleDependencies({ 'rate-limiter-flexible': 'bundled/rate-limiter-flexible.js' }),
});
