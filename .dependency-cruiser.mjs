// Which file may import which. `pnpm lint` runs this; docs/architecture.md has the picture. A rule made by `only` lists
// the allowed imports; any other import is an error.

const tests = '\\.test\\.ts$|/test/';
const npm = (...names) => `node_modules/(${names.join('|').replaceAll('.', '\\.')})/`;
const core = (...folders) => `^packages/core/src/(${folders.join('|')})/`;
/** Core's entry point for Node, which storages shared by several processes import for the identity of a process. */
const coreOnNode = '^packages/core/src/node/index\\.ts$';
const publicCore = '^packages/core/src/index\\.ts$';
/** The entry points for authors of storages, gateways, runtimes and HTTP adapters. */
const spi = (port) => `^packages/core/src/spi/${port}\\.ts$`;
const receiver = '^packages/receiver/src/index\\.ts$';
const optionNames = '^internal/option-names/src/index\\.ts$';
/** Tests and msw use it with a database in memory. */
const storageSqlite = '^packages/storage-sqlite/src/index\\.ts$';
const storageKit = '^packages/storage-kit/src/index\\.ts$';
const own = (name) => `^packages/${name}/src/`;
const internal = (name) => `^internal/${name}/src/`;

const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: tests },
  to: { pathNot: allowed },
});

/** The folders of a package that has them in this order: each imports only those before it. */
const folders = (name, packages, names) =>
  names.map((folder, place) => ({
    name: `${name}-${folder}`,
    comment: 'docs/architecture.md has the order.',
    severity: 'error',
    from: { path: `^packages/${packages}/src/${folder}/`, pathNot: tests },
    to: {
      path: `^packages/${packages}/src/(${[...names.slice(place + 1).map((later) => `${later}/`), '[^/]+$'].join('|')})`,
    },
  }));

export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Type imports count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'An app of create-next-app imports its own files by @/.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@/' },
    },
    {
      name: 'packages-by-name',
      comment: 'Another package is imported by its public name, never by a path into its folder.',
      severity: 'error',
      from: { path: '^(packages|internal|examples)/([^/]+)/' },
      to: { path: '^(packages|internal|examples)/', pathNot: '^$1/$2/', dependencyTypes: ['local'] },
    },

    // Inside core: domain ◄─ ports ◄─ runtime ◄─ services ◄─ workers
    only(
      'domain',
      core('domain'),
      [core('domain'), npm('uuid', 'ipaddr.js', '@stablelib/aes'), receiver],
      "Pure rules. The table of event types is the receiver's.",
    ),
    only(
      'ports',
      core('ports'),
      [core('domain', 'ports'), receiver],
      "Interfaces only. The kinds of messages are the receiver's.",
    ),
    only(
      'runtime',
      core('runtime'),
      [core('domain', 'ports', 'runtime'), npm('zod')],
      'Time, timers and repeats, whatever they are used for.',
    ),
    only(
      'safe-url',
      core('safe-url'),
      [core('safe-url', 'domain/endpoint'), '^packages/core/src/ports/dns-resolver\\.ts$'],
      'For others too: the rules, and nothing that they would not want with them.',
    ),
    {
      name: 'core-layers',
      comment: 'resources, inputs, services and workers look down, never up.',
      severity: 'error',
      from: { path: core('resources', 'inputs', 'services', 'workers'), pathNot: tests },
      to: {
        path: '^packages/core/src/',
        pathNot: core('domain', 'ports', 'runtime', 'resources', 'inputs', 'services', 'workers'),
      },
    },
    {
      name: 'resources-and-inputs-below-services',
      severity: 'error',
      from: { path: core('resources', 'inputs'), pathNot: tests },
      to: { path: core('runtime', 'services', 'workers') },
    },
    {
      name: 'resources-without-inputs',
      comment: 'What goes out knows nothing of what comes in.',
      severity: 'error',
      from: { path: core('resources') },
      to: { path: core('inputs') },
    },
    {
      name: 'services-below-workers',
      severity: 'error',
      from: { path: core('services'), pathNot: tests },
      to: { path: core('workers') },
    },
    {
      name: 'core-without-its-surroundings',
      comment: 'node/, testing/ and sandbox/ are plugged in by the user, through their own entry points.',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: [core('node', 'testing', 'sandbox'), tests] },
      to: { path: core('node', 'testing', 'sandbox') },
    },
    {
      name: 'spi-for-others',
      comment: 'Entry points name what is there: inside, every import goes to the file itself.',
      severity: 'error',
      from: { path: '^packages/core/src/' },
      to: { path: ['^packages/core/src/index\\.ts$', core('spi')] },
    },
    {
      name: 'testing-stays-in-tests',
      severity: 'error',
      from: { path: core('node', 'sandbox'), pathNot: tests },
      to: { path: core('testing') },
    },
    {
      name: 'core-runs-anywhere',
      comment: "Node's own modules belong in node/.",
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: [core('node', 'testing'), tests] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'undici-in-node',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: core('node') },
      to: { path: npm('undici') },
    },
    {
      name: 'edge-without-sockets',
      comment: 'Bundlers of workers follow every import.',
      severity: 'error',
      from: { path: '^packages/core/src/node/edge\\.ts$' },
      to: { path: [npm('undici'), '^(node:)?(net|tls|dns|fs)(/|$)'], reachable: true },
    },

    {
      name: 'safe-url-without-sockets',
      comment: 'It runs anywhere, and weighs little.',
      severity: 'error',
      from: { path: '^packages/core/src/safe-url/index\\.ts$' },
      to: { path: [npm('undici', 'zod'), '^(node:)?[a-z_/]+$'], reachable: true },
    },

    // Between packages
    only(
      'core',
      own('core'),
      [
        own('core'),
        optionNames,
        receiver,
        npm(
          '@opentelemetry/api',
          'zod',
          'quick-lru',
          'file-type',
          'mime',
          'uqr',
          '@stablelib/aes',
          'uuid',
          'typeid-js',
          'undici',
          'ipaddr.js',
        ),
        '^(node:)?[a-z_/]+$',
      ],
      'No database, no HTTP framework.',
    ),
    only(
      'receiver',
      own('receiver'),
      [own('receiver'), '^packages/receiver/vectors/', optionNames, '^(node:)?[a-z_/]+$'],
      'No dependency: what is private is bundled.',
    ),
    {
      name: 'receiver-runs-anywhere',
      comment: "Node's own modules belong in node/ and in the command.",
      severity: 'error',
      from: { path: own('receiver'), pathNot: ['/hmac-node\\.ts$', '/src/(node|attack)/', tests] },
      to: { dependencyTypes: ['core'] },
    },
    only(
      'http',
      '^packages/http/src/(?!msw/)',
      [
        own('http'),
        publicCore,
        spi('http'),
        optionNames,
        npm(
          '@opentelemetry/api',
          'hono',
          'zod',
          'zod-openapi',
          'rate-limiter-flexible',
          'content-disposition',
        ),
      ],
      'Any Fetch runtime.',
    ),
    only(
      'http-client',
      '^packages/http/src/client/',
      ['^packages/http/src/client/', publicCore, optionNames],
      'Fetch alone.',
    ),
    {
      name: 'http-client-types-only',
      comment: "A consumer's bundle has nothing of core in it.",
      severity: 'error',
      from: { path: '^packages/http/src/client/', pathNot: tests },
      to: { pathNot: ['^packages/http/src/client/', optionNames], dependencyTypesNot: ['type-only'] },
    },
    only(
      'http-msw',
      '^packages/http/src/msw/',
      [
        own('http'),
        publicCore,
        spi('runtime'),
        '^packages/core/src/(node|testing|sandbox)/index\\.ts$',
        storageSqlite,
        npm('msw'),
      ],
      'The service itself, in the tests of its consumers.',
    ),
    {
      name: 'msw-stays-in-tests',
      severity: 'error',
      from: { path: '^packages/http/src/(?!msw/)', pathNot: tests },
      to: { path: '^packages/http/src/msw/' },
    },
    only(
      'dashboard',
      own('dashboard'),
      [
        own('dashboard'),
        publicCore,
        spi('http'),
        coreOnNode,
        '^packages/http/src/(index|spi/index)\\.ts$',
        '^packages/dashboard/package\\.json$',
        '^packages/dashboard/derive/assets\\.ts$',
        optionNames,
        npm('hono', 'zod'),
        '^(node:)?crypto$',
      ],
      'Any Fetch runtime with node:crypto.',
    ),
    only(
      'mcp',
      own('mcp'),
      [
        own('mcp'),
        publicCore,
        spi('http'),
        '^packages/http/src/(index|spi/index)\\.ts$',
        '^packages/mcp/package\\.json$',
        optionNames,
        npm('@modelcontextprotocol/server', 'zod'),
      ],
      'Any Fetch runtime.',
    ),
    {
      name: 'mcp-rules-alone',
      comment: 'A server checks its settings with them, and loads the rest if it needs it.',
      severity: 'error',
      from: { path: '^packages/mcp/src/rules\\.ts$' },
      to: { path: npm('@modelcontextprotocol/server'), reachable: true },
    },
    only(
      'storage-kit',
      own('storage-kit'),
      [own('storage-kit'), spi('storage')],
      'For storages of any kind: no database, and nothing of Node.',
    ),
    only('storage-sqlite', own('storage-sqlite'), [
      own('storage-sqlite'),
      storageKit,
      spi('storage'),
      optionNames,
      coreOnNode,
      '^(node:)?(sqlite|fs|path|crypto|worker_threads)$',
    ]),
    only('storage-postgres', own('storage-postgres'), [
      own('storage-postgres'),
      storageKit,
      spi('storage'),
      optionNames,
      coreOnNode,
      npm('pg', '@types/pg'),
      '^(node:)?(crypto|timers/promises)$',
    ]),
    only(
      'gateway-baileys',
      own('gateway-baileys'),
      [
        own('gateway-baileys'),
        spi('gateway'),
        optionNames,
        npm(
          '@whiskeysockets/baileys',
          'https-proxy-agent',
          'keyv',
          'quick-lru',
          'socks-proxy-agent',
          'undici',
        ),
        '^(node:)?(async_hooks|crypto|events|http|https|net|stream(/promises)?|util|zlib)$',
      ],
      'Its own storage is the service.',
    ),
    {
      name: 'baileys-behind-its-gateway',
      comment:
        'Baileys brings libsignal, which is GPL-3.0: whoever does without the gateway does without both.',
      severity: 'error',
      from: {
        path: '^(packages|internal|examples)/',
        pathNot: ['^packages/gateway-baileys/', '^internal/fake-whatsapp/'],
      },
      to: { path: npm('@whiskeysockets/baileys', 'libsignal') },
    },
    only('gateway-contract', own('gateway-contract'), [
      own('gateway-contract'),
      publicCore,
      spi('gateway'),
      '^packages/core/src/(node|testing)/index\\.ts$',
      storageSqlite,
      internal('test-support'),
      npm('vitest'),
    ]),
    only(
      'test-support',
      internal('test-support'),
      [internal('test-support'), npm('vitest', 'esbuild'), '^(node:)?[a-z_/]+$'],
      'For any test.',
    ),
    only('test-postgres', internal('test-postgres'), [
      internal('test-postgres'),
      internal('test-support'),
      npm('pg', '@types/pg', 'vitest'),
      '^(node:)?[a-z_/]+$',
    ]),
    only(
      'media-s3',
      own('media-s3'),
      [own('media-s3'), spi('storage'), optionNames, npm('aws4fetch')],
      'Any Fetch runtime.',
    ),
    only(
      'option-names',
      internal('option-names'),
      [internal('option-names'), npm('leven')],
      'Bundled into each package.',
    ),
    only(
      'nestjs',
      own('nestjs'),
      [
        own('nestjs'),
        publicCore,
        '^packages/http/src/index\\.ts$',
        npm('@hono/node-server', '@nestjs/common', '@nestjs/core'),
        '^(node:)?http$',
      ],
      'What an embedder has, and NestJS.',
    ),
    only(
      'nextjs',
      own('nextjs'),
      [own('nextjs'), '^packages/core/src/(index|node/index)\\.ts$', '^packages/http/src/index\\.ts$'],
      'What an embedder has. It imports nothing of Next.js.',
    ),
    only('storage-contract', own('storage-contract'), [
      own('storage-contract'),
      own('core'),
      internal('test-support'),
      npm('vitest', 'fast-check'),
      '^(node:)?[a-z_/]+$',
    ]),
    only(
      'fake-whatsapp',
      internal('fake-whatsapp'),
      [
        internal('fake-whatsapp'),
        npm('@whiskeysockets/baileys', 'ws', '@types/ws', 'selfsigned'),
        '^(node:)?[a-z_/]+$',
      ],
      'A network of its own: nothing of Trunkline.',
    ),
    {
      name: 'fake-whatsapp-stays-in-tests',
      severity: 'error',
      from: { path: '^(packages|internal|examples)/', pathNot: [internal('fake-whatsapp'), tests] },
      to: { path: internal('fake-whatsapp') },
    },
    only(
      'dashboard-app',
      '^packages/dashboard/app/src/',
      [
        '^packages/dashboard/app/src/',
        '^packages/dashboard/src/',
        '^packages/http/src/client/index\\.ts$',
        receiver,
        npm(
          '@base-ui/react',
          '@tanstack/[a-z-]+',
          'react',
          'react-dom',
          '@types/react',
          '@types/react-dom',
          'lucide',
          'uqr',
        ),
      ],
      'A browser: nothing of Node.',
    ),
    {
      name: 'dashboard-app-types-only',
      comment: "The handler's shapes, and nothing that runs on a server.",
      severity: 'error',
      from: { path: '^packages/dashboard/app/src/' },
      to: { path: '^packages/dashboard/src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'dashboard-pages-apart',
      comment: 'What two pages need is a component.',
      severity: 'error',
      from: { path: '^packages/dashboard/app/src/pages/([^/]+)/' },
      to: { path: '^packages/dashboard/app/src/pages/', pathNot: '^packages/dashboard/app/src/pages/$1/' },
    },
    {
      name: 'dashboard-components-below-pages',
      severity: 'error',
      from: { path: '^packages/dashboard/app/src/(api|components|live|texts)/' },
      to: { path: '^packages/dashboard/app/src/(pages|router)/' },
    },
    only(
      'server',
      own('server'),
      [
        own('server'),
        own('core'),
        receiver,
        '^packages/http/src/(client|spi)/index\\.ts$',
        '^packages/mcp/src/rules\\.ts$',
        '^packages/(dashboard|http|mcp|media-s3|storage-kit|storage-sqlite|storage-postgres)/src/index\\.ts$',
        '^packages/gateway-baileys/src/(index|elsewhere)\\.ts$',
        '^packages/server/derive/scalar\\.ts$',
        '^packages/server/package\\.json$',
        '^packages/(dashboard|http|media-s3|storage-kit|storage-sqlite|storage-postgres|gateway-baileys)/src/index\\.ts$',
        optionNames,
        npm(
          '@clack/prompts',
          '@hono/node-server',
          '@opentelemetry/api',
          '@opentelemetry/exporter-metrics-otlp-proto',
          '@opentelemetry/exporter-prometheus',
          '@opentelemetry/exporter-trace-otlp-proto',
          '@opentelemetry/instrumentation-runtime-node',
          '@opentelemetry/resources',
          '@opentelemetry/sdk-metrics',
          '@opentelemetry/sdk-trace',
          'commander',
          'hono',
          'nodemailer',
          'pg',
          '@types/pg',
          'pino',
          'smol-toml',
          'string-width',
          'uqr',
          'zod',
        ),
        '^(node:)?[a-z_/]+$',
      ],
      'What the packages are put together to: nothing imports it but programs.',
    ),
    only(
      'n8n-nodes-trunkline',
      '^packages/n8n-nodes-trunkline/(nodes|credentials)/',
      [
        '^packages/n8n-nodes-trunkline/(nodes|credentials)/',
        receiver,
        npm('n8n-workflow'),
        '^(node:)?crypto$',
      ],
      'As n8n Cloud allows it: what is not n8n-workflow or node:crypto is bundled.',
    ),
    {
      name: 'networks-in-one-place',
      comment:
        'The differences between networks are data of their gateways. test/network-names.test.ts looks for their names.',
      severity: 'error',
      from: {
        path: own('server'),
        pathNot: [tests, '^packages/server/src/(networks/|start/try-secret-key|commands/local-service)'],
      },
      to: { path: ['^packages/gateway-', core('sandbox')] },
    },
    ...folders('storage', 'storage-(sqlite|postgres)', [
      'rows',
      'database',
      'traffic',
      'deliveries',
      'processes',
      'workspaces',
      'people',
      'messages',
      'erasure',
      'instances',
      'move',
    ]),
    ...folders('server', 'server', [
      'errors',
      'database',
      'terminal',
      'files',
      'move',
      'settings',
      'networks',
      'telemetry',
      'http',
      'start',
      'doctor',
    ]),
    {
      name: 'server-on-top',
      severity: 'error',
      from: { path: '^(packages|internal)/(?!server/)' },
      to: { path: own('server') },
    },
    {
      name: 'examples-are-leaves',
      severity: 'error',
      from: { path: '^(packages|internal)/', pathNot: tests },
      to: { path: '^examples/' },
    },
  ],

  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: ['^(packages|internal|examples)/[^/]+/dist/', '(tsup\\.config\\.ts|eslint\\.config\\.mjs)$'],
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'types', 'import', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
