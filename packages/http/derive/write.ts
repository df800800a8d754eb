// `pnpm openapi` runs this. It writes the files in the repository that are derived from the routes; a test compares
// each file with the routes.
import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../src/openapi/open-api-document.ts';
import { apiReference } from './api-reference.ts';
import { clientOperations } from './client-operations.ts';

const openapi = new URL('../openapi.json', import.meta.url);
const before: unknown = JSON.parse(await readFile(openapi, 'utf8'));
await writeFile(openapi, JSON.stringify(inOrderOf(before, openApiDocument('/api/v1')), null, 2));

await writeFile(
  new URL('../src/client/operations.ts', import.meta.url),
  `// Written from the routes by \`pnpm openapi\`.
import type { Operations } from './operation.ts';

export const OPERATIONS: Operations = ${JSON.stringify(clientOperations())};
`,
);

await writeFile(new URL('../../../docs/api-reference.md', import.meta.url), apiReference());

/** Keeps the order of the names in `old`, so that a diff of the file shows only changes. */
function inOrderOf(old: unknown, value: unknown): unknown {
  if (!isObject(old) || !isObject(value)) return value;
  const kept = Object.keys(old).filter((name) => name in value);
  return Object.fromEntries(
    [...new Set([...kept, ...Object.keys(value)])].map((name) => [name, inOrderOf(old[name], value[name])]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
