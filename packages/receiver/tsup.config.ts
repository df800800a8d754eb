import { library, refusalInOneLine } from '../../tsup.shared.ts';

const entries = [
  'src/index.ts',
  'src/fetch-handler.ts',
  'src/node/node-handler.ts',
  'src/node/express-handler.ts',
  'src/node/fastify-plugin.ts',
  'src/testing/index.ts',
];

export default library([...entries, 'src/attack/cli.ts', 'src/hmac-node.ts', 'src/hmac-web.ts'], {
  plugins: [refusalInOneLine('cli.js', 'trunkline-receiver')],
  // Other packages cannot import `#hmac`, so it needs no declarations.
  dts: { entry: Object.fromEntries(entries.map((path) => [path.slice('src/'.length, -'.ts'.length), path])) },
});
