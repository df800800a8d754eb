import { library } from '../../tsup.shared.ts';

export default library(['src/index.ts', 'src/client/index.ts', 'src/msw/index.ts']);
