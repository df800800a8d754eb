import { library } from '../../tsup.shared.ts';

const entries = [
  'src/index.ts',
  'src/fetch-handler.ts',
  'src/node/node-handler.ts',
  'src/node/express-handler.ts',
  'src/node/fastify-plugin.ts',
  'src/testing/index.ts',
];

// `#hmac` is chosen by the runtime that loads the package (package.json "imports"), not by the bundler.
export default library([...entries, 'src/attack/cli.ts', 'src/hmac-node.ts', 'src/hmac-web.ts'], {
  external: ['#hmac'],
  // `#hmac` is nobody else's to import.
  dts: { entry: Object.fromEntries(entries.map((path) => [path.slice('src/'.length, -'.ts'.length), path])) },
});
