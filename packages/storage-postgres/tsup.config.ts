import { bundleDependencies } from '../../tsup.bundled.ts';
import { library } from '../../tsup.shared.ts';

export default library(['src/index.ts'], {
  onSuccess: () => bundleDependencies({ pg: 'bundled/pg.js' }),
});
