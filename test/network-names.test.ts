import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Sources that know any network by nothing but the facts that its gateway gives. */
const SOURCES = ['core', 'http', 'mcp', 'receiver', 'server', 'dashboard', 'storage-*'].flatMap((name) =>
  globSync(`packages/${name}/{src,app/src}/**/*.{ts,tsx}`),
);

/** The composition: the simulated network itself, and what puts the networks of a server together. */
const COMPOSITION =
  /^packages\/(core\/src\/sandbox\/|http\/src\/msw\/|server\/src\/(networks\/[a-z-]+|settings\/network-list|start\/try-secret-key|commands\/local-service)\.ts$|storage-contract\/src\/)/;

/** A network's name as a value, or a name for people, outside of comments and examples. */
const NAMES = /['"`](?:whatsapp(?:_cloud)?|sandbox)['"`]|\bWhatsApp\b|\bBaileys\b|gateway-baileys/;

it('only the composition names a network', () => {
  const named = SOURCES.filter((path) => !COMPOSITION.test(path) && !/\.test\.tsx?$/.test(path)).flatMap(
    (path) =>
      withoutComments(readFileSync(path, 'utf8'))
        .split('\n')
        .filter((line) => NAMES.test(line) && !ALLOWED.some((allowed) => line.includes(allowed)))
        .map((line) => `${path}: ${line.trim()}`),
  );
  expect(named).toEqual([]);
});

/** Lines with examples for people, and lines whose words look like the name of a network. */
const ALLOWED = [
  // The examples of the API's description.
  "network: 'whatsapp',",
  "name: 'whatsapp',",
  "title: 'WhatsApp',",
  'such as whatsapp.',
  // The feature of the dashboard, and the policy of a downloaded file.
  "DashboardOptions['sandbox']",
  "options['sandbox']",
  "styles['sandbox']",
  "'Content-Security-Policy': 'sandbox'",
  // A hint that names the package of a gateway.
  "'trunkline init --gateways whatsapp",
];

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*/g, '');
}
