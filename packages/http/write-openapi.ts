// Writes openapi.json, which a test compares with what the API says of itself: `pnpm openapi`.
import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from './src/openapi/open-api-document.ts';

const path = new URL('openapi.json', import.meta.url);
const before: unknown = JSON.parse(await readFile(path, 'utf8'));
await writeFile(path, JSON.stringify(inOrderOf(before, openApiDocument('/api/v1')), null, 2));

/** The names of an object in the order that they had before, so that a diff of the file shows changes alone. */
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
