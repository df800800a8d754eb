import { library } from '../../tsup.shared.ts';

export default library([
  'src/index.ts',
  'src/node/index.ts',
  'src/node/edge.ts',
  'src/safe-url/index.ts',
  'src/testing/index.ts',
  'src/sandbox/index.ts',
]);
